package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// numpyReshape is numpy.reshape, with one size of -1 at most.
func numpyReshape(r *reader, x *ndarray, a *interp.Args) interp.Value {
	list := a.Pos
	if v, ok := a.Get("newshape", -1); ok {
		list = []interp.Value{v}
	}
	shape := r.numpySizes(list)
	n, known, free := count(x.shape), int64(1), -1
	for i, s := range shape {
		if s == -1 {
			free = i
		} else {
			known *= s
		}
	}
	if free >= 0 && known > 0 && n%known == 0 {
		shape[free] = n / known
	}
	if count(shape) != n {
		r.in.Raise("ValueError", "cannot reshape array of size %d into shape %s", n, interp.Repr(r.tupleOf(shape)))
	}
	return r.array(shape, x.kind, slices.Clone(x.data))
}

// numpyFlat is numpy.ravel.
func numpyFlat(r *reader, x *ndarray, _ *interp.Args) interp.Value {
	return r.array([]int64{count(x.shape)}, x.kind, slices.Clone(x.data))
}

// permuted is an array with its axes in another order.
func (x *ndarray) permuted(order []int) *ndarray {
	shape, st := make([]int64, len(order)), stridesOf(x.shape)
	for i, o := range order {
		shape[i] = x.shape[o]
	}
	return x.gatherBy(shape, func(index []int64) int64 {
		at := int64(0)
		for i, o := range order {
			at += index[i] * st[o]
		}
		return at
	})
}

// numpyTranspose is numpy.transpose; without axes it reverses them.
func numpyTranspose(r *reader, x *ndarray, a *interp.Args) interp.Value {
	var order []int
	list := a.Pos
	if v, ok := a.Get("axes", -1); ok && v != nil {
		list = []interp.Value{v}
	}
	for _, n := range r.numpySizes(list) {
		order = append(order, r.dim(n, len(x.shape)))
	}
	if len(order) == 0 {
		for i := len(x.shape) - 1; i >= 0; i-- {
			order = append(order, i)
		}
	}
	if len(order) != len(x.shape) {
		r.in.Raise("ValueError", "axes don't match array")
	}
	return x.permuted(order)
}

// numpySwap is numpy.swapaxes.
func numpySwap(r *reader, x *ndarray, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "swapaxes", "axis1", "axis2")
	order := make([]int, len(x.shape))
	for i := range order {
		order[i] = i
	}
	i, k := r.dim(b[0], len(order)), r.dim(b[1], len(order))
	order[i], order[k] = order[k], order[i]
	return x.permuted(order)
}

// numpySqueeze is numpy.squeeze.
func numpySqueeze(r *reader, x *ndarray, a *interp.Args) interp.Value {
	v, given := a.Get("axis", 0)
	var shape []int64
	for i, n := range x.shape {
		if n == 1 && (!given || v == nil || r.dim(v, len(x.shape)) == i) {
			continue
		}
		shape = append(shape, n)
	}
	return r.numpyValue(r.array(shape, x.kind, slices.Clone(x.data)))
}

// numpyRepeat is numpy.repeat with one number of repeats.
func numpyRepeat(r *reader, x *ndarray, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "repeat", "repeats", "axis")
	n, ok := interp.AsInt(b[0])
	if !ok || n < 0 {
		r.in.Fault("repeat of this kind is not followed")
	}
	axis := interp.Or(b[1], nil)
	if axis == nil {
		x, axis = numpyFlat(r, x, nil).(*ndarray), int64(0)
	}
	shape, at := slices.Clone(x.shape), r.dim(axis, len(x.shape))
	shape[at] *= n
	st := stridesOf(x.shape)
	return x.gatherBy(shape, func(index []int64) int64 {
		from := int64(0)
		for i, k := range index {
			if i == at {
				k /= n
			}
			from += k * st[i]
		}
		return from
	})
}

// setShaped sets a function of an array of which only the shape of the result is known.
func (r *reader) setShaped(set setter, name string, shape func(x *ndarray, a *interp.Args) []int64) {
	set(name, func(a *interp.Args) interp.Value {
		return r.withArray(a, 0, func(x *ndarray) interp.Value { return r.numpyValue(r.array(shape(x, a), x.kind, nil)) })
	})
}

// numpyManipulations are the functions that move, mask or repeat entries and are no methods.
func (r *reader) numpyManipulations(set setter) {
	for _, n := range []string{"tril", "triu", "flip", "roll", "nan_to_num", "fliplr", "flipud", "rot90"} {
		r.setShaped(set, n, func(x *ndarray, _ *interp.Args) []int64 { return x.shape })
	}
	set("expand_dims", func(a *interp.Args) interp.Value {
		return r.withArray(a, 0, func(x *ndarray) interp.Value {
			axis, _ := a.Get("axis", 1)
			return r.array(slices.Insert(slices.Clone(x.shape), r.dim(axis, len(x.shape)+1), 1), x.kind, slices.Clone(x.data))
		})
	})
	r.setShaped(set, "tile", r.tiledShape)
	r.setShaped(set, "broadcast_to", func(_ *ndarray, a *interp.Args) []int64 { return r.numpySizes(a.Pos[1:]) })
}

// tiledShape is the shape of numpy.tile(A, reps).
func (r *reader) tiledShape(x *ndarray, a *interp.Args) []int64 {
	reps := r.numpySizes(a.Pos[1:])
	shape := append(slices.Repeat([]int64{1}, max(len(reps)-len(x.shape), 0)), x.shape...)
	for i, n := range reps {
		shape[len(shape)-len(reps)+i] *= n
	}
	return shape
}
