package torch

import "github.com/modelverifier/verifier/internal/importer/torch/interp"

// later is a result that most programs throw away: it becomes a component only when it is used.
type later struct{ make func() interp.Value }

// Attr makes the tensor, and reads its attribute.
func (l *later) Attr(in *interp.Interp, name string) (interp.Value, bool) {
	return in.FindAttr(l.make(), name)
}

// Operate makes the tensor, and computes with it.
func (l *later) Operate(in *interp.Interp, op string, other interp.Value, swapped bool) (interp.Value, bool) {
	if t, ok := l.make().(*Tensor); ok {
		return t.Operate(in, op, other, swapped)
	}
	return nil, false
}

// Item makes the tensor, and indexes it.
func (l *later) Item(in *interp.Interp, index interp.Value) interp.Value {
	return in.Item(l.make(), index)
}
