package torch

import (
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
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

func boolFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func wider(a, b byte) byte {
	order := "bif"
	for i := len(order) - 1; i >= 0; i-- {
		if a == order[i] || b == order[i] {
			return order[i]
		}
	}
	return 'f'
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

func (r *reader) broadcastArrays(a, b []int64) []int64 {
	out := make([]int64, max(len(a), len(b)))
	for i := range out {
		m, n := int64(1), int64(1)
		if k := i - (len(out) - len(a)); k >= 0 {
			m = a[k]
		}
		if k := i - (len(out) - len(b)); k >= 0 {
			n = b[k]
		}
		if m != n && m != 1 && n != 1 {
			r.in.Raise("ValueError", "operands could not be broadcast together with shapes %s %s", interp.Repr(r.tupleOf(a)), interp.Repr(r.tupleOf(b)))
		}
		out[i] = m
		if m == 1 {
			out[i] = n
		}
	}
	return out
}

// stretch is numpy.broadcast_to.
func (x *ndarray) stretch(shape []int64) *ndarray {
	if slices.Equal(shape, x.shape) {
		return x
	}
	st, lead := stridesOf(x.shape), len(shape)-len(x.shape)
	return x.gatherBy(shape, func(index []int64) int64 {
		at := int64(0)
		for i, n := range x.shape {
			if n != 1 {
				at += index[lead+i] * st[i]
			}
		}
		return at
	})
}

// zip applies a function to two arrays, element by element.
func (r *reader) zipArrays(a, b *ndarray, kind byte, f func(x, y float64) float64) *ndarray {
	shape := r.broadcastArrays(a.shape, b.shape)
	a, b = a.stretch(shape), b.stretch(shape)
	if a.data == nil || b.data == nil || f == nil {
		return r.array(shape, kind, nil)
	}
	data := make([]float64, len(a.data))
	for i := range data {
		data[i] = f(a.data[i], b.data[i])
	}
	return r.array(shape, kind, data)
}

func (x *ndarray) each(kind byte, f func(float64) float64) *ndarray {
	if x.data == nil {
		return x.r.array(x.shape, kind, nil)
	}
	data := make([]float64, len(x.data))
	for i, v := range x.data {
		data[i] = f(v)
	}
	return x.r.array(x.shape, kind, data)
}

// numpyBinary are the operators of arrays.
var numpyBinary = map[string]func(a, b float64) float64{
	"+": func(a, b float64) float64 { return a + b }, "-": func(a, b float64) float64 { return a - b }, "*": func(a, b float64) float64 { return a * b },
	"/": func(a, b float64) float64 { return a / b }, "//": func(a, b float64) float64 { return math.Floor(a / b) },
	"%": func(a, b float64) float64 { return a - math.Floor(a/b)*b }, "**": math.Pow,
	"==": func(a, b float64) float64 { return boolFloat(a == b) }, "!=": func(a, b float64) float64 { return boolFloat(a != b) },
	"<": func(a, b float64) float64 { return boolFloat(a < b) }, ">": func(a, b float64) float64 { return boolFloat(a > b) },
	"<=": func(a, b float64) float64 { return boolFloat(a <= b) }, ">=": func(a, b float64) float64 { return boolFloat(a >= b) },
	"&": func(a, b float64) float64 { return boolFloat(a != 0 && b != 0) }, "|": func(a, b float64) float64 { return boolFloat(a != 0 || b != 0) },
}

// Operate is arithmetic with an array.
func (x *ndarray) Operate(in *interp.Interp, op string, other interp.Value, swapped bool) (interp.Value, bool) {
	switch op {
	case "unary-":
		return x.each(x.kind, func(v float64) float64 { return -v }), true
	case "unary+":
		return x, true
	case "unary~":
		return x.each('b', func(v float64) float64 { return boolFloat(v == 0) }), true
	}
	switch other.(type) {
	case *Tensor, sym:
		return nil, false
	case nil, string:
		return false, op == "=="
	}
	y := x.r.asArray(other)
	if y == nil {
		return in.Unknown("an array meets a value that is not known"), true
	}
	a, b := x, y
	if swapped {
		a, b = y, x
	}
	if op == "@" {
		return x.r.numpyValue(x.r.dotArrays(a, b)), true
	}
	f, ok := numpyBinary[op]
	if !ok {
		return in.Unknown("%s of arrays is not followed", op), true
	}
	kind := wider(a.kind, b.kind)
	switch op {
	case "/":
		kind = 'f'
	case "==", "!=", "<", ">", "<=", ">=":
		kind = 'b'
	}
	return x.r.numpyValue(x.r.zipArrays(a, b, kind, f)), true
}

// dotArrays is a @ b of vectors and matrices: the shape.
func (r *reader) dotArrays(a, b *ndarray) *ndarray {
	if len(a.shape) == 0 || len(b.shape) == 0 {
		return r.zipArrays(a, b, wider(a.kind, b.kind), numpyBinary["*"])
	}
	k, at := a.shape[len(a.shape)-1], max(len(b.shape)-2, 0)
	if b.shape[at] != k {
		r.in.Raise("ValueError", "matmul: shapes %s and %s not aligned", interp.Repr(r.tupleOf(a.shape)), interp.Repr(r.tupleOf(b.shape)))
	}
	lead := a.shape[:len(a.shape)-1]
	if len(b.shape) > 2 {
		if len(lead) == 0 {
			r.in.Fault("a product of arrays of this kind is not followed")
		}
		lead = append(r.broadcastArrays(lead[:len(lead)-1], b.shape[:len(b.shape)-2]), lead[len(lead)-1])
	}
	shape := slices.Clone(lead)
	if len(b.shape) > 1 {
		shape = append(shape, b.shape[len(b.shape)-1])
	}
	return r.array(shape, wider(a.kind, b.kind), nil)
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

// SetItem is x[index] = v: the values are no longer known.
func (x *ndarray) SetItem(*interp.Interp, interp.Value, interp.Value) { x.data = nil }

// DeepCopy copies the array.
func (x *ndarray) DeepCopy(*interp.Interp, map[any]interp.Value) interp.Value {
	c := *x
	c.data = slices.Clone(x.data)
	return &c
}
