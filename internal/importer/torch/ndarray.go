package torch

import (
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// ndarray is an array of numpy. Its shape is always known; its values are while they are few and do not depend on chance.
type ndarray struct {
	r     *reader
	shape []int64
	data  []float64 // nil where the values are not known
	kind  byte      // 'i', 'f' or 'b'
}

// TypeName is for messages.
func (x *ndarray) TypeName() string { return "ndarray" }

// ClassOf is for isinstance.
func (x *ndarray) ClassOf() *interp.Class { return x.r.ndarrayClass }

// count is the number of entries of a shape, or -1 where int64 does not hold it.
func count(shape []int64) int64 {
	n := int64(1)
	for _, s := range shape {
		if s != 0 && n > math.MaxInt64/s {
			return -1
		}
		n *= s
	}
	return n
}

// array makes an array, and charges it.
func (r *reader) array(shape []int64, kind byte, data []float64) *ndarray {
	r.measure(shape)
	for _, s := range shape {
		if s < 0 {
			r.in.Raise("ValueError", "negative dimensions are not allowed")
		}
	}
	n := count(shape)
	if n < 0 {
		r.in.Fault("an array is too large")
	}
	if int64(len(data)) != n || n > maxData {
		data = nil
	}
	r.in.Spend(int64(len(data)) / 4)
	return &ndarray{r, shape, data, kind}
}

// tensor is torch.from_numpy of the array.
func (x *ndarray) tensor() *Tensor {
	return &Tensor{r: x.r, node: -1, shape: append(catalog.Of(), x.shape...), batch: -1, isInt: x.kind == 'i', data: slices.Clone(x.data)}
}

// scalar is a value of the array as a number of Python.
func (x *ndarray) scalar(v float64) interp.Value {
	switch x.kind {
	case 'i':
		return int64(v)
	case 'b':
		return v != 0
	}
	return v
}

// value is a result: an array without axes is a number.
func (r *reader) numpyValue(x *ndarray) interp.Value {
	if len(x.shape) > 0 {
		return x
	}
	if len(x.data) == 1 {
		return x.scalar(x.data[0])
	}
	u := r.in.Unknown("the values of an array are not known")
	u.Harmless = true
	return u
}

// asArray reads an array, a number, a sequence of them or a constant tensor. nil where the value is not known.
func (r *reader) asArray(v interp.Value) *ndarray {
	switch x := v.(type) {
	case *ndarray:
		return x
	case *Tensor:
		if x.node >= 0 || x.batch >= 0 {
			r.in.Fault("numpy is given a tensor that depends on the input")
		}
		kind := byte('f')
		if x.isInt {
			kind = 'i'
		}
		return r.array(slices.Clone(x.shape), kind, slices.Clone(x.data))
	case bool:
		return r.array(nil, 'b', []float64{boolFloat(x)})
	case int64:
		return r.array(nil, 'i', []float64{float64(x)})
	case float64:
		return r.array(nil, 'f', []float64{x})
	case *interp.List, *interp.Tuple, *interp.Range, *interp.Iterator:
		return r.stacked(r.in.Iterate(x))
	case *interp.Unknown:
		return nil
	}
	r.in.Fault("numpy is given a %s", interp.TypeName(v))
	return nil
}

// stacked joins values along a new first axis.
func (r *reader) stacked(items []interp.Value) *ndarray {
	out := &ndarray{r: r, kind: 'b'}
	known := true
	for i, v := range items {
		x := r.asArray(v)
		if x == nil {
			return nil
		}
		if i == 0 {
			out.shape = x.shape
		} else if !slices.Equal(out.shape, x.shape) {
			r.in.Doubt("ValueError", "setting an array element with a sequence: the rows have different shapes")
		}
		out.kind = wider(out.kind, x.kind)
		known = known && x.data != nil
		if known && int64(len(out.data)) <= maxData {
			out.data = append(out.data, x.data...)
		}
	}
	if len(items) == 0 {
		out.kind = 'f'
	}
	if !known {
		out.data = nil
	}
	return r.array(append([]int64{int64(len(items))}, out.shape...), out.kind, out.data)
}

// boolFloat is 1 for true and 0 for false.
func boolFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// wider is the kind of numbers that two kinds promote to.
func wider(a, b byte) byte {
	order := "bif"
	for i := len(order) - 1; i >= 0; i-- {
		if a == order[i] || b == order[i] {
			return order[i]
		}
	}
	return 'f'
}

// Truth is that of the one element.
func (x *ndarray) Truth() (value, known bool) {
	if len(x.data) == 1 {
		return x.data[0] != 0, true
	}
	return false, false
}

// ToNumber is int(x) and float(x).
func (x *ndarray) ToNumber(in *interp.Interp) interp.Value {
	if len(x.data) == 1 {
		return x.scalar(x.data[0])
	}
	return in.Unknown("the value of an array is not known")
}

// Length is len(x).
func (x *ndarray) Length(in *interp.Interp) interp.Value {
	if len(x.shape) == 0 {
		in.Raise("TypeError", "len() of unsized object")
	}
	return x.shape[0]
}

// DeepCopy copies the array.
func (x *ndarray) DeepCopy(*interp.Interp, map[any]interp.Value) interp.Value {
	c := *x
	c.data = slices.Clone(x.data)
	return &c
}
