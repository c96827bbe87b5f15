package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// numpyJoins are concatenate, stack and their kin.
func (r *reader) numpyJoins(set setter) {
	set("concatenate", func(a *interp.Args) interp.Value { return r.numpyJoin(a, 0, false, 1) })
	set("stack", func(a *interp.Args) interp.Value { return r.numpyJoin(a, 0, true, 0) })
	set("vstack", func(a *interp.Args) interp.Value { return r.numpyJoin(&interp.Args{Pos: a.Pos[:1]}, 0, false, 2) })
	set("hstack", func(a *interp.Args) interp.Value { return r.numpyJoin(&interp.Args{Pos: a.Pos[:1]}, -1, false, 1) })
	set("append", r.numpyAppend)
	set("meshgrid", r.numpyMeshgrid)
}

// numpyJoin joins a sequence of arrays of at least so many axes along an axis, which stack adds.
func (r *reader) numpyJoin(a *interp.Args, axis int64, stack bool, least int) interp.Value {
	if v, ok := a.Get("axis", 1); ok && v != nil {
		axis, _ = interp.AsInt(v)
	}
	var list []*ndarray
	for _, v := range r.in.Iterate(a.Pos[0]) {
		x := r.asArray(v)
		if x == nil {
			u := r.in.Unknown("the values of an array are not known")
			u.Harmless = true
			return u
		}
		for len(x.shape) < least {
			x = r.array(append([]int64{1}, x.shape...), x.kind, slices.Clone(x.data))
		}
		if stack {
			at := r.dim(axis, len(x.shape)+1)
			x = r.array(slices.Insert(slices.Clone(x.shape), at, 1), x.kind, slices.Clone(x.data))
		}
		list = append(list, x)
	}
	return r.joinArrays(list, axis)
}

// numpyAppend is numpy.append(arr, values, axis).
func (r *reader) numpyAppend(a *interp.Args) interp.Value {
	axis, ok := a.Get("axis", 2)
	x, y := r.asArray(a.Pos[0]), r.asArray(a.Pos[1])
	if x == nil || y == nil {
		return r.in.Unknown("the values of an array are not known")
	}
	if !ok || axis == nil {
		x, y, axis = numpyFlat(r, x, nil).(*ndarray), numpyFlat(r, y, nil).(*ndarray), int64(0)
	}
	n, _ := interp.AsInt(axis)
	return r.joinArrays([]*ndarray{x, y}, n)
}

// numpyMeshgrid is numpy.meshgrid: the shapes.
func (r *reader) numpyMeshgrid(a *interp.Args) interp.Value {
	var shape []int64
	for _, v := range a.Pos {
		x := r.asArray(v)
		if x == nil {
			return r.in.Unknown("the values of an array are not known")
		}
		shape = append(shape, count(x.shape))
	}
	if how, ok := a.Get("indexing", -1); (!ok || how == "xy") && len(shape) >= 2 {
		shape[0], shape[1] = shape[1], shape[0]
	}
	out := interp.NewList()
	for range a.Pos {
		out.Items = append(out.Items, r.array(shape, 'f', nil))
	}
	return out
}

// joinArrays is numpy.concatenate of arrays of one rank.
func (r *reader) joinArrays(list []*ndarray, axis int64) interp.Value {
	if len(list) == 0 {
		r.in.Raise("ValueError", "need at least one array to concatenate")
	}
	at := r.dim(axis, len(list[0].shape))
	shape, kind := slices.Clone(list[0].shape), list[0].kind
	data, flat := slices.Clone(list[0].data), at == 0 && list[0].data != nil
	for _, x := range list[1:] {
		for i := range shape {
			if i != at && (len(x.shape) != len(shape) || x.shape[i] != shape[i]) {
				r.in.Raise("ValueError", "all the input array dimensions except for the concatenation axis must match exactly")
			}
		}
		shape[at] += x.shape[at]
		kind = wider(kind, x.kind)
		flat = flat && x.data != nil
		data = append(data, x.data...)
	}
	if !flat {
		data = nil
	}
	return r.array(shape, kind, data)
}
