package catalog

import "github.com/modelverifier/verifier/internal/op"

// MostParts is how many parts of a component are followed one by one.
const MostParts = 1 << 10

// Apart reports whether so many parts of the component are followed one by one.
func (l *Lowering) Apart(parts int64) bool {
	l.Parted = l.Parted || parts > 1
	return parts <= MostParts && (l.Parts == 0 || parts <= l.Parts)
}

// lowerExperts sends positions to experts, each of which computes those that are routed to it, as
// MixtralSparseMoeBlock does. Which those are is known only when it runs: experts get equally many. Shared is what
// all positions visit.
func lowerExperts(shared func(l *Lowering, x op.Value) op.Value) func(l *Lowering) op.Value {
	return func(l *Lowering) op.Value {
		p, x, n, k, e := l.P, l.X[0], l.Int("numExperts"), l.Int("topK"), l.Int("embedDim")
		positions := l.positions()
		flat := op.View(p, x, positions, e)
		values, chosen := op.TopK(p, op.Softmax(p, op.To(p, l.Map(flat, "router"), 4)), positions, k)
		share := op.To(p, op.Div(p, values, op.Sum(p, values, positions, 1)), p.Width(x))
		y := op.ZerosLike(p, flat)
		if !l.Apart(n) {
			y = l.routed(y, flat, share, chosen, together, positions*k)
			n = 0
		}
		for i := range n {
			rows := (i+1)*positions*k/n - i*positions*k/n
			y = l.routed(y, flat, share, chosen, i, rows)
		}
		y = op.View(p, y, l.In[0]...)
		if s := shared(l, x); s != op.None {
			y = op.Add(p, y, s)
		}
		return y
	}
}

// routed adds what an expert makes of some positions.
func (l *Lowering) routed(y, flat, share, chosen op.Value, nth, rows int64) op.Value {
	p, e := l.P, l.Int("embedDim")
	places := op.Nonzero(p, chosen, rows, 2)
	out := l.expert(op.Index(p, flat, []int64{rows, e}, places), numbered("experts.", 0, l.Int("numExperts")), nth)
	out = op.Mul(p, out, op.Index(p, share, []int64{rows, 1}, places))
	return op.IndexAdd(p, y, places, op.To(p, out, p.Width(y)))
}

// expert is one of those with a name, gated or plain.
func (l *Lowering) expert(x op.Value, name string, nth int64) op.Value {
	if l.Type.Param("gated") == nil || l.Bool("gated") {
		return l.gated(x, name, nth, "silu")
	}
	return l.mapOf(l.activate("silu", l.mapOf(x, join(name, "up_proj"), nth)), join(name, "down_proj"), nth)
}

// together stands for the number of a part: all of them, of which there are too many to be followed one by one.
const together = -1

// mapTogether is the linear layers that a name stands for, each of some rows, and adapters beside them.
func (l *Lowering) mapTogether(x op.Value, module string) op.Value {
	weight, bias := l.stacked(join(module, "weight")), l.stacked(join(module, "bias"))
	shape := l.P.Shape(weight)
	y := op.GroupedLinear(l.P, x, weight, bias, shape[1])
	if !l.HasAdapter(weight) {
		return y
	}
	down, up := l.P.Adapter(0, shape[0], l.Rank, shape[2]), l.P.Adapter(0, shape[0], shape[1], l.Rank)
	low := op.GroupedLinear(l.P, x, down, op.None, l.Rank)
	return op.Add(l.P, y, op.Scale(l.P, op.GroupedLinear(l.P, low, up, op.None, shape[1])))
}

// stacked is all weights that a path names as one; op.None where there is none.
func (l *Lowering) stacked(path string) op.Value {
	for k := range l.Weights {
		if w := &l.Weights[k]; w.Path() == path {
			return l.P.Weight(k, append([]int64{w.Times}, w.Shape...)...)
		}
	}
	return op.None
}
