package torch

import "github.com/modelverifier/verifier/internal/importer/torch/interp"

// What is taken out of a tensor by values that are not known has a size that is not known, either. Programs that only write it back, as
// a[mask] = b[mask] does, need none: the tensor that is written into keeps its shape.

// dependent is a result whose size depends on values. It remembers the tensors that it was taken from.
func (r *reader) dependent(why string, from ...*Tensor) *interp.Unknown {
	u := r.in.Unknown("%s", why)
	if r.selections == nil {
		r.selections = map[*interp.Unknown][]*Tensor{}
	}
	for _, t := range from {
		if !t.constant() {
			r.selections[u] = append(r.selections[u], t)
		}
	}
	return u
}

// writeSelection is x[index] = v where the size of v is not known: x is computed of it from then on.
func (t *Tensor) writeSelection(v *interp.Unknown) {
	r := t.r
	if t.param != nil || len(r.selections[v]) == 0 {
		return
	}
	before := *t
	before.node = r.place(t)
	out := r.custom("write", t.shape, 0, append([]*Tensor{&before}, r.selections[v]...)...)
	t.node, t.data = out.node, nil
	t.joint = t.joint || t.batch < 0
}

// unknownIndex reports whether an index has a value that is not known in it.
func unknownIndex(index interp.Value) bool {
	list := []interp.Value{index}
	if tuple, ok := index.(*interp.Tuple); ok {
		list = tuple.Items
	}
	for _, v := range list {
		if _, ok := v.(*interp.Unknown); ok {
			return true
		}
	}
	return false
}

// countable reports whether the values of a mask are known.
func (m *Tensor) countable() bool {
	return m.constant() && int64(len(m.data)) == m.shape.Size() && m.batch < 0
}
