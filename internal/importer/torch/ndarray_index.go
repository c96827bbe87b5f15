package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// Iterate goes over the first axis.
func (x *ndarray) Iterate(in *interp.Interp) []interp.Value {
	if len(x.shape) == 0 {
		in.Raise("TypeError", "iteration over a 0-d array")
	}
	if x.shape[0] > maxData {
		in.Fault("a loop goes over %d entries of an array", x.shape[0])
	}
	out := make([]interp.Value, x.shape[0])
	for i := range out {
		out[i] = x.Item(in, int64(i))
	}
	return out
}

// Item is x[index] with numbers, slices, None and dots.
func (x *ndarray) Item(in *interp.Interp, index interp.Value) interp.Value {
	list := []interp.Value{index}
	if t, ok := index.(*interp.Tuple); ok {
		list = t.Items
	}
	var shape []int64
	var axes []axisIndex
	at := 0
	for _, v := range expandDots(list, len(x.shape)) {
		switch s := v.(type) {
		case nil:
			shape, axes = append(shape, 1), append(axes, axisIndex{-1, 0, 0})
			continue
		case python.Dots:
			continue
		case *interp.Slice:
			if at >= len(x.shape) {
				in.Raise("IndexError", "too many indices for array")
			}
			lo, hi, step := in.Bounds(s, x.shape[at])
			n := (&interp.Range{Start: lo, Stop: hi, Step: step}).Len()
			shape, axes = append(shape, n), append(axes, axisIndex{at, lo, step})
		default:
			n, ok := interp.AsInt(v)
			if !ok {
				return x.taken(in, v, at == 0 && len(list) == 1)
			}
			if at >= len(x.shape) {
				in.Raise("IndexError", "too many indices for array")
			}
			if n < -x.shape[at] || n >= x.shape[at] {
				in.Raise("IndexError", "index %d is out of bounds for axis %d with size %d", n, at, x.shape[at])
			}
			if n < 0 {
				n += x.shape[at]
			}
			axes = append(axes, axisIndex{at, n, 0})
		}
		at++
	}
	for ; at < len(x.shape); at++ {
		shape, axes = append(shape, x.shape[at]), append(axes, axisIndex{at, 0, 1})
	}
	st := stridesOf(x.shape)
	return x.r.numpyValue(x.gatherBy(shape, func(index []int64) int64 {
		from, k := int64(0), 0
		for _, a := range axes {
			switch {
			case a.axis < 0:
				k++
			case a.step == 0:
				from += a.lo * st[a.axis]
			default:
				from += (a.lo + index[k]*a.step) * st[a.axis]
				k++
			}
		}
		return from
	}))
}

// axisIndex is how one axis is indexed: from lo by step; a step of 0 is one entry, an axis of -1 a new one.
type axisIndex struct {
	axis     int
	lo, step int64
}

// taken is x[indices] with an array or a list of integers in front.
func (x *ndarray) taken(in *interp.Interp, index interp.Value, first bool) interp.Value {
	by := x.r.asArray(index)
	if by == nil || by.kind != 'i' || !first || len(x.shape) == 0 {
		in.Fault("an array is indexed in a way that is not followed")
	}
	return x.r.array(append(slices.Clone(by.shape), x.shape[1:]...), x.kind, nil)
}

// SetItem is x[index] = v: the values are known where a number is written by a mask of known values, and no longer else.
func (x *ndarray) SetItem(_ *interp.Interp, index, v interp.Value) {
	m, isArray := index.(*ndarray)
	f, isNumber := interp.AsFloat(v)
	if !isArray || !isNumber || m.kind != 'b' || len(m.data) != len(x.data) || !slices.Equal(m.shape, x.shape) {
		x.data = nil
		return
	}
	x.data = slices.Clone(x.data)
	for i, truth := range m.data {
		if truth != 0 {
			x.data[i] = f
		}
	}
}

// strides of an array in row-major order.
func stridesOf(shape []int64) []int64 {
	out, n := make([]int64, len(shape)), int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		out[i] = n
		n *= shape[i]
	}
	return out
}

// gatherBy makes an array of another shape, whose entry at an index is the entry of x at from(index).
func (x *ndarray) gatherBy(shape []int64, from func(index []int64) int64) *ndarray {
	n := count(shape)
	if x.data == nil || n < 0 || n > maxData {
		return x.r.array(shape, x.kind, nil)
	}
	data, index := make([]float64, n), make([]int64, len(shape))
	for i := range data {
		data[i] = x.data[from(index)]
		for k := len(index) - 1; k >= 0; k-- {
			if index[k]++; index[k] < shape[k] {
				break
			}
			index[k] = 0
		}
	}
	return x.r.array(shape, x.kind, data)
}
