package infer

import (
	"sort"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
	"github.com/modelverifier/verifier/internal/quantity"
)

// total sums what the components cost. A storage that two components save is counted once: the result of a component is
// saved if it or a reader saves it, and a view is saved as what it is a view of.
func (w *walker) total() {
	saved := make([]bool, len(w.res.Nodes)) // whether the result of a component is saved
	fits := true
	add := func(sum *int64, n int64) {
		s, ok := quantity.Add(*sum, n)
		*sum, fits = s, fits && ok
	}
	w.count()
	for i := range w.res.Nodes {
		node := &w.res.Nodes[i]
		if !node.saves() {
			node.LacksFLOPs = node.State != Note && node.State != Absent && (node.Type == nil || node.Type.FLOPs != nil)
			continue
		}
		if s, ok := quantity.Add(w.res.FLOPs, node.FLOPs); ok {
			w.res.FLOPs = s
		} else { // a sum that does not fit lacks what would have broken it: nothing crashes for that
			node.FLOPs, node.LacksFLOPs = 0, true
		}
		w.save(i)
		add(&node.SavedBytes, node.Saves.New)
		add(&w.res.SavedBytes, node.Saves.New)
		result := func(of int) {
			of, bytes := w.storage(of)
			if add(&node.SavedBytes, bytes); !saved[of] {
				saved[of] = true
				add(&w.res.SavedBytes, bytes)
			}
		}
		for k, is := range node.Saves.In {
			if is {
				result(w.feeder(i, k))
			}
		}
		if node.Saves.Out {
			result(i)
		}
		if !fits {
			w.refuse(i, &catalog.Refusal{Rule: catalog.SizeOverflow, Message: "what autograd saves of the graph does not fit in 64 bits"})
			return
		}
	}
}

// storage is the component in whose result that of another lies, and the size of that; -1 where it does not fit in 64 bits.
func (w *walker) storage(of int) (owner int, bytes int64) {
	of = w.owner(of)
	node := &w.res.Nodes[of]
	if node.Type.Has(catalog.IsTensor) {
		return of, 0 // lies in the weights
	}
	dtype := op.Float
	if node.OutIsInt {
		dtype = op.Int64
	}
	bytes, ok := quantity.Mul(node.Out.Size(), dtype.Bytes())
	if !ok {
		return of, -1 // Add refuses a negative count, and the total with it
	}
	return of, bytes
}

// owner is the component in whose result that of another lies: what the first of a chain of views looks at. Many may read the end of one
// long chain, so that it is followed once.
func (w *walker) owner(of int) int {
	if !w.res.Nodes[of].Type.Has(catalog.IsView) {
		return of
	}
	at := of
	for w.owners == nil || w.owners[at] == 0 {
		next := w.viewed(at)
		if next == at {
			break
		}
		at = next
	}
	if w.owners == nil {
		w.owners = make([]int32, len(w.res.Nodes))
	}
	owner := at
	if known := w.owners[at]; known != 0 {
		owner = int(known) - 1
	}
	for i := of; i != at; i = w.viewed(i) {
		w.owners[i] = int32(owner) + 1
	}
	return owner
}

// viewed is the component whose result that of another is a view of, itself where it is none.
func (w *walker) viewed(i int) int {
	if !w.res.Nodes[i].Type.Has(catalog.IsView) {
		return i
	}
	for _, j := range w.res.Wiring.Inputs(i) {
		if w.res.Nodes[j].State != Note {
			return int(j)
		}
	}
	return i
}

// First returns the refusal of the component that runs first, nil where there is none. Refusals are in the order of the list, which decides
// nothing else of an answer than their own order.
func (r *Result) First() *Refusal {
	if len(r.Refusals) == 0 {
		return nil
	}
	for _, i := range r.Wiring.Order {
		for k := range r.Refusals {
			if r.Refusals[k].Node == i {
				return &r.Refusals[k]
			}
		}
	}
	return &r.Refusals[0] // on a cycle
}

// finish puts the refusals in order and says every edit in words.
func (w *walker) finish() {
	refusals := w.res.Refusals
	sort.SliceStable(refusals, func(a, b int) bool {
		if refusals[a].Node != refusals[b].Node {
			return refusals[a].Node < refusals[b].Node
		}
		return refusals[a].Rule < refusals[b].Rule
	})
	if len(refusals) == 0 {
		return
	}
	labels := make(map[string]string, len(w.res.Nodes))
	for i := range w.res.Nodes {
		c := w.res.Nodes[i].Component
		labels[c.ID] = c.Label()
	}
	for i := range refusals {
		for _, e := range refusals[i].Edits {
			if refusals[i].Fix != "" {
				refusals[i].Fix += " and "
			}
			refusals[i].Fix += e.words(func(id string) string { return labels[id] })
		}
	}
}

// words says what an edit does; label is what a component is called.
func (e *Edit) words(label func(id string) string) string {
	if e.Inserts() {
		return quantity.Sprintf("insert %s between %s and %s", quantity.Own(e.Type), label(e.From), label(e.To))
	}
	return quantity.Sprintf("set %s of %s to %s", e.Param, label(e.Component), e.Value)
}

// Words says what edits of a walked graph do.
func Words(r *Result, edits []Edit) (out string) {
	label := func(id string) string {
		for i := range r.Nodes {
			if r.Nodes[i].Component.ID == id {
				return r.Nodes[i].Component.Label()
			}
		}
		return id
	}
	for i := range edits {
		if i > 0 {
			out += " and "
		}
		out += edits[i].words(label)
	}
	return out
}
