package infer

import (
	"sort"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/quantity"
)

// total sums what the components cost. A storage that two components keep is counted once: the result of a component is
// kept if it or a reader keeps it, and a view is kept as what it is a view of.
func (w *walker) total() {
	kept := make([]bool, len(w.res.Nodes)) // whether the result of a component is kept
	fits := true
	add := func(sum *int64, n int64) {
		s, ok := quantity.Add(*sum, n)
		*sum, fits = s, fits && ok
	}
	w.count()
	for i := range w.res.Nodes {
		node := &w.res.Nodes[i]
		if node.State != Legal && node.State != Withheld {
			node.LacksFLOPs = node.State != Note && node.State != Absent && (node.Type == nil || node.Type.FLOPs != nil)
			continue
		}
		add(&w.res.FLOPs, node.FLOPs)
		for _, k := range node.Kept {
			bytes, of := w.keptBytes(i, k)
			add(&node.SavedBytes, bytes)
			switch {
			case of < 0:
				add(&w.res.SavedBytes, bytes)
			case !kept[of]:
				kept[of] = true
				add(&w.res.SavedBytes, bytes)
			}
		}
		if !fits {
			w.refuse(i, &catalog.Refusal{Rule: catalog.SizeOverflow, Message: "the sizes or costs of the graph do not fit in 64 bits"})
			return
		}
	}
}

// keptBytes returns the size of a kept storage, and the component whose result it is, or -1 for a new tensor.
func (w *walker) keptBytes(i int, k catalog.Kept) (int64, int) {
	owner := i
	switch k.Name {
	case catalog.KeptOutput:
	case catalog.KeptInput:
		owner = w.feeder(i, int(k.Input))
	default:
		if _, ok := quantity.Mul(k.Elems, k.As.Bytes()); !ok {
			return -1, -1 // Add refuses a negative count, and the total with it
		}
		return k.Bytes(1), -1
	}
	for w.res.Nodes[owner].Type.Has(catalog.IsView) && len(w.res.Wiring.Inputs(owner)) > 0 {
		owner = w.feeder(owner, 0)
	}
	if w.res.Nodes[owner].Type.Has(catalog.IsTensor) {
		return 0, owner // lies in the weights
	}
	elem := catalog.AsActivation
	if w.res.Nodes[owner].OutIsInt {
		elem = catalog.AsInt64
	}
	bytes, ok := quantity.Mul(w.res.Nodes[owner].Out.Size(), elem.Bytes())
	if !ok {
		return -1, -1
	}
	return bytes, owner
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
			refusals[i].Fix += quantity.Sprintf("set %s of %s to %s", e.Param, labels[e.Component], e.Value)
		}
	}
}
