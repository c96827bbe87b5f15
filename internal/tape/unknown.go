package tape

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/op"
)

// unknown appends a component whose operations are not known: one that is refused, stands behind what is, or is larger than what is followed. It is
// one operation that saves what it reads. Its result is there where its shape is known; its weights are trained as those of others are.
func (r *Room) unknown(res *infer.Result, i int) {
	n, t, p := &res.Nodes[i], &r.tape, &r.program
	p.Reset()
	p.IntsToFloat = !n.OutIsInt
	var inputs []int32
	var read []op.Value
	reads := res.Wiring.Inputs(i)
	if r.isUnordered(int32(i)) {
		reads = nil
	}
	for _, j := range reads {
		if t.results[j] < 0 {
			continue
		}
		dtype := op.Float
		if res.Nodes[j].OutIsInt {
			dtype = op.Int64
		}
		inputs, read = append(inputs, j), append(read, p.Input(res.Nodes[j].Out, dtype))
	}
	t.Arrives(p, inputs)
	read = append(read, r.weightsOf(n, p)...)
	for len(read) > mostRead {
		some := op.Opaque(p, nothing, false, false, read[:mostRead]...)
		read = append(read[mostRead:], some)
	}
	shape := []int64(n.Out)
	if n.Out == nil {
		shape = nothing
	}
	p.Out = op.Opaque(p, shape, n.OutIsInt, false, read...)
	if len(inputs) == 0 {
		p.Tensors[p.Out].Shared = false
	}
	t.Add(i, p, inputs, Owners{Own: i})
	r.unknowns = append(r.unknowns, i)
	if t.ends != nil {
		t.ends[i] = int32(t.Steps())
	}
}

// nothing is the shape of a tensor without elements.
var nothing = []int64{0}

// mostAlike is how many weights of one declaration are followed one by one, and mostAlikeOfAll how many of those that are declared as
// several; the others of a declaration are one tensor.
const (
	mostAlike      = 1 << 5
	mostAlikeOfAll = 1 << 14
)

// weightsOf are all weights of a component.
func (r *Room) weightsOf(n *infer.Node, p *op.Program) (out []op.Value) {
	for k := range n.Weights {
		w := &n.Weights[k]
		each := min(w.Times, mostAlike)
		if w.Times > 1 {
			each = min(each, max(0, mostAlikeOfAll-r.alike))
			r.alike += each
		}
		for nth := range each {
			out = append(out, p.WeightOf(k, nth, w.Shape...))
		}
		if rest := w.Times - each; rest > 0 {
			out = append(out, p.WeightOf(k, each, append([]int64{rest}, w.Shape...)...))
		}
	}
	return out
}

// cyclic appends the components that are on a cycle or behind one, which have no place in the order, and takes what is not known of the model as
// what its loss depends on: the results that nothing with a place reads, of such components and of those that they read.
func (r *Room) cyclic(res *infer.Result, o *Options) {
	if len(res.Wiring.Order) < len(res.Nodes) {
		for _, i := range r.withoutPlace(res) {
			r.place(res, i, o)
		}
		for _, i := range res.Wiring.Order {
			if res.Nodes[i].State == infer.Legal && slices.ContainsFunc(res.Wiring.Outputs(i), r.isUnordered) {
				r.loseUnread(res, i)
			}
		}
	}
	for _, i := range r.unknowns {
		if res.Nodes[i].State != infer.Legal {
			r.loseUnread(res, i)
		}
	}
}

// loseUnread takes the result of a component as one that the loss depends on, unless one with a place reads it.
func (r *Room) loseUnread(res *infer.Result, i int) {
	id := r.tape.results[i]
	isRead := slices.ContainsFunc(res.Wiring.Outputs(i), func(j int32) bool {
		return !r.isUnordered(j) && (r.tape.results[j] >= 0 || res.Nodes[j].State == infer.Legal)
	})
	if id >= 0 && r.tape.tensors[id].grad && !isRead {
		r.tape.losses = append(r.tape.losses, id)
	}
}

func (r *Room) isUnordered(i int32) bool { return r.unordered != nil && r.unordered[i] }

// withoutPlace are the components that the order leaves out. They read nothing, as which of two on a cycle comes first is not known, and come by what
// they are, since the order of a list decides nothing.
func (r *Room) withoutPlace(res *infer.Result) (out []int) {
	r.unordered = make([]bool, len(res.Nodes))
	for i := range r.unordered {
		r.unordered[i] = true
	}
	for _, i := range res.Wiring.Order {
		r.unordered[i] = false
	}
	is := make([]string, len(res.Nodes))
	for i := range res.Nodes {
		if n := &res.Nodes[i]; r.unordered[i] {
			is[i], out = fmt.Sprint(n.Out, n.OutIsInt, n.Weights), append(out, i)
		}
	}
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(is[i], is[j]) })
	return out
}

// unreadable reports whether a step of a program reads more than a step of a tape can, or a weight that is not there: those of a
// component are not listed once the weights of the graph are beyond counting.
func unreadable(p *op.Program) bool {
	for k := range p.Steps {
		if in := p.Steps[k].In; len(in) > mostRead || slices.Contains(in, op.None) {
			return true
		}
	}
	return false
}
