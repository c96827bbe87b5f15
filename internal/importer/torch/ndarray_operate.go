package torch

import (
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

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

// broadcastArrays is numpy.broadcast_shapes of two shapes.
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

// each applies a function to every entry.
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
