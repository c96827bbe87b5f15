package torch

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Tensor is a tensor of the program.
//
// Its graph shape has no batch. Where the batch is in PyTorch's shape is kept beside it: batch is the axis of PyTorch's shape that
// holds it, -1 where the tensor has none (weights, constants). Programs fold other axes into the batch, as x.view(B * windows, n, c)
// does: pre and post say whether an axis of the graph shape is folded in before and behind it. Folded axes are axes of their own
// in the graph.
type Tensor struct {
	r       *reader
	node    int // the component that gives it; -1 for a weight that no component has yet, or a constant
	shape   catalog.Shape
	isInt   bool
	complex bool   // of complex numbers
	mask    bool   // of truths, as comparisons give
	width   string // of its numbers, see dtype.go
	batch   int
	pre     int
	post    int
	joint   bool // it was computed of all samples together, which counts where it has no batch

	contiguous bool    // its elements lie in memory in their order
	mem        *memory // how they lie otherwise, nil where that is not known

	param *Param    // a weight, as it is
	data  []float64 // the values of a small constant
}

// Param is a trained tensor of the model.
type Param struct {
	name    string
	owner   int // the component that counts it; -1 while there is none
	counted bool
	tensor  *Tensor
	grad    interp.Value // requires_grad, where the program set it; else it is true
}

// maxRank is the number of axes beyond which tensors are not followed. Most of PyTorch's own functions take 64 at the most.
const maxRank = 64

func (t *Tensor) clone() *Tensor {
	t.r.measure(t.shape)
	c := *t
	c.param, c.data = nil, nil
	c.contiguous, c.mem = false, nil
	return &c
}

// measure charges a shape, and stops at one that no model has.
func (r *reader) measure(shape catalog.Shape) {
	if len(shape) > maxRank {
		r.in.Fault("a tensor has %d axes, and more than %d are not followed", len(shape), maxRank)
	}
	r.in.Spend(int64(len(shape)) + 4)
}

// rank is the number of axes in PyTorch's shape.
func (t *Tensor) rank() int {
	if t.batch < 0 {
		return len(t.shape)
	}
	return len(t.shape) - t.pre - t.post + 1
}

// plain reports whether the shape is (batch, *shape).
func (t *Tensor) plain() bool { return t.batch == 0 && t.pre+t.post == 0 }

// constant reports whether the tensor depends on no input and no weight. While the model is being built weights count as constants:
// what is computed of them there goes into other weights' values only.
func (t *Tensor) constant() bool { return t.node < 0 && (t.param == nil || len(t.r.inputs) == 0) }

// axis returns the axis of the graph shape that an axis of PyTorch's shape is, -1 for the batch.
func (t *Tensor) axis(i int) int {
	switch {
	case t.batch < 0 || i < t.batch:
		return i
	case i == t.batch:
		return -1
	}
	return i - 1 + t.pre + t.post
}

// size is the size of an axis of PyTorch's shape: an integer or a multiple of the batch.
func (t *Tensor) size(i int) interp.Value {
	if g := t.axis(i); g >= 0 {
		return t.shape[g]
	}
	return sym{t.folded()}
}

// folded is how many entries of the batch axis there are for each sample.
func (t *Tensor) folded() int64 {
	n := int64(1)
	for i := range t.pre + t.post {
		n *= t.shape[t.batch+i]
	}
	return n
}

// dims is PyTorch's shape.
func (t *Tensor) dims() []interp.Value {
	out := make([]interp.Value, t.rank())
	for i := range out {
		out[i] = t.size(i)
	}
	return out
}

// ClassOf is for isinstance.
func (t *Tensor) ClassOf() *interp.Class {
	if t.param != nil {
		return t.r.parameterClass
	}
	return t.r.tensorClass
}

// TypeName is for messages.
func (t *Tensor) TypeName() string { return "Tensor" }

// Truth cannot be known.
func (t *Tensor) Truth() (value, known bool) {
	if len(t.data) == 1 {
		return t.data[0] != 0, true
	}
	return false, false
}

// ToNumber gives the value of a constant of one element.
func (t *Tensor) ToNumber(in *interp.Interp) interp.Value {
	if len(t.data) == 1 {
		if t.isInt {
			return int64(t.data[0])
		}
		return t.data[0]
	}
	return in.Unknown("the value of a tensor is not known")
}

// Length is len(x).
func (t *Tensor) Length(in *interp.Interp) interp.Value {
	if t.rank() == 0 {
		in.Raise("TypeError", "len() of a 0-d tensor")
	}
	return t.size(0)
}

// Iterate is "for y in x".
func (t *Tensor) Iterate(in *interp.Interp) []interp.Value {
	if t.rank() == 0 {
		in.Raise("TypeError", "iteration over a 0-d tensor")
	}
	n, ok := t.size(0).(int64)
	if !ok {
		n = t.size(0).(sym).count(in, "a loop goes over the batch")
	}
	if n > 4096 {
		in.Fault("a loop goes over %d entries of a tensor", n)
	}
	out := make([]interp.Value, n)
	for i := range out {
		out[i] = t.Item(in, int64(i))
	}
	return out
}

// DeepCopy copies weights: the copy is a weight of its own.
func (t *Tensor) DeepCopy(_ *interp.Interp, _ map[any]interp.Value) interp.Value {
	if t.param == nil {
		return t
	}
	return t.r.newParam(t.shape)
}

// constantOfShape makes a constant of a size.
func (r *reader) constantOfShape(isInt bool, sizes ...int64) *Tensor {
	return &Tensor{r: r, node: -1, shape: append(catalog.Of(), sizes...), batch: -1, isInt: isInt}
}
