package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// rearranged is rearrange, reduce and repeat: what stands on the left is taken apart, reduced and put in the order of the right,
// new axes are added, and groups are joined.
func (r *reader) rearranged(v interp.Value, text string, reduction interp.Value, sizes []interp.KV) interp.Value {
	t := r.einopsTensor(v)
	p := r.prepare(text, reduction, sizes, t.rank())
	flat := r.takeApart(t, p)
	order := slices.Concat(p.left...)
	if reduction != "rearrange" && reduction != "repeat" {
		flat, order = r.einopsReduce(flat, order, slices.Concat(p.right...), reduction)
	}
	var axes []int
	for _, axis := range slices.Concat(p.right...) {
		if i := slices.Index(order, axis); i >= 0 {
			axes = append(axes, i)
		}
	}
	if !slices.IsSorted(axes) {
		flat = r.permute(flat, axes)
	}
	flat = r.addAxes(flat, order, p)
	var want []interp.Value
	joined := false
	for _, group := range p.right {
		n := interp.Value(int64(1))
		for _, axis := range group {
			n = r.times(n, p.sizes[axis])
		}
		joined = joined || len(group) != 1
		want = append(want, n)
	}
	if joined {
		flat = r.view(flat, want)
	}
	return flat
}

// einopsTensor is a tensor, or a list of tensors stacked.
func (r *reader) einopsTensor(v interp.Value) *Tensor {
	if l, ok := v.(*interp.List); ok {
		if len(l.Items) == 0 {
			r.in.Raise("TypeError", "einops can't be applied to an empty list")
		}
		return r.stack(r.tensors("einops", l), int64(0))
	}
	return r.tensor("einops", v)
}

// times multiplies sizes.
func (r *reader) times(a, b interp.Value) interp.Value {
	if a == int64(1) {
		return b
	}
	return r.in.Binary("*", a, b)
}

// takeApart splits the groups of the left side, and notes the sizes that follow from the tensor.
func (r *reader) takeApart(t *Tensor, p *recipe) *Tensor {
	var want []interp.Value
	apart := false
	for i, group := range p.left {
		whole, known, free := t.size(i), interp.Value(int64(1)), ""
		for _, axis := range group {
			if n, ok := p.sizes[axis]; ok {
				known = r.times(known, n)
			} else {
				free = axis
			}
		}
		if free == "" {
			r.sameSize(whole, known)
		} else {
			p.sizes[free] = r.quotient(whole, known)
		}
		apart = apart || len(group) != 1
		for _, axis := range group {
			want = append(want, p.sizes[axis])
		}
	}
	if !apart {
		return t
	}
	return r.view(t, want)
}

// sameSize refuses an axis whose size differs from what the pattern says.
func (r *reader) sameSize(whole, known interp.Value) {
	switch same := r.in.Compare("==", whole, known).(type) {
	case bool:
		if _, isInt := interp.AsInt(whole); !same && isInt {
			r.einopsRaise("Shape mismatch, %s != %s", describeSize(whole), describeSize(known))
		} else if !same {
			r.in.Fault("a pattern of einops gives an axis of size %s the size %s", describeSize(whole), describeSize(known))
		}
	default:
		r.in.Fault("a pattern of einops compares %s with %s", describeSize(whole), describeSize(known))
	}
}

// quotient is the size of the one axis of a group that is not given.
func (r *reader) quotient(whole, known interp.Value) interp.Value {
	if known == int64(1) {
		return whole
	}
	a, okA := interp.AsInt(whole)
	b, okB := interp.AsInt(known)
	if okA && okB && (b == 0 || a%b != 0) {
		r.einopsRaise("Shape mismatch, can't divide axis of length %d in chunks of %d", a, b)
	}
	n := r.in.Binary("//", whole, known)
	if u, unknown := n.(*interp.Unknown); unknown {
		r.in.Fault("an axis of size %s is divided by %s: %s", describeSize(whole), describeSize(known), u.Why)
	}
	return n
}

// addAxes adds the axes that only the right side has.
func (r *reader) addAxes(t *Tensor, order []string, p *recipe) *Tensor {
	var want []interp.Value
	added := false
	for i, axis := range slices.Concat(p.right...) {
		if !slices.Contains(order, axis) {
			t, added = r.unsqueeze(t, i), true
		}
		want = append(want, p.sizes[axis])
	}
	if !added {
		return t
	}
	return r.tensor("repeat", expandOp(r, t, &interp.Args{Pos: want}))
}
