package catalog

import (
	"slices"
	"strconv"

	"github.com/modelverifier/verifier/internal/quantity"
)

// Shape is the size of a tensor along each axis, without the batch. A scalar per sample is the empty shape; nil is an
// unknown one.
type Shape []int64

// MaxAxes is how many axes a tensor has at the most. PyTorch keeps the axes of a tensor as a set of 64 bits, and refuses to reduce one
// of more: "only tensors with up to 64 dims are supported" (c10's dim_bitset_size in aten/src/ATen/WrapDimUtilsMulti.h, and measured).
const MaxAxes = 64

// Of returns a shape; without arguments, the shape of a scalar.
func Of(dims ...int64) Shape {
	if dims == nil {
		return Shape{}
	}
	return dims
}

// Rank is the number of axes without the batch.
func (s Shape) Rank() int { return len(s) }

// At returns the size of an axis, counted from the end where i is negative.
func (s Shape) At(i int) int64 {
	if i < 0 {
		i += len(s)
	}
	return s[i]
}

// With returns a copy with one axis changed.
func (s Shape) With(i int, n int64) Shape {
	out := slices.Clone(s)
	if i < 0 {
		i += len(s)
	}
	out[i] = n
	return out
}

// Size is the number of elements, or -1 where it does not fit in an int64.
func (s Shape) Size() int64 {
	n, ok := quantity.Mul(s...)
	if !ok {
		return -1
	}
	return n
}

// Equal reports whether two shapes are the same.
func (s Shape) Equal(t Shape) bool { return slices.Equal(s, t) }

func (s Shape) String() string {
	var buffer [64]byte // most shapes fit, and the string is then the only allocation
	b := append(buffer[:0], '[')
	for i, n := range s {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(append(b, ']'))
}
