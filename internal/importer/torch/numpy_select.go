package torch

import (
	"slices"
	"sort"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// numpySelections are where and unique.
func (r *reader) numpySelections(set setter) {
	set("where", r.numpyWhere)
	set("unique", r.numpyUnique)
}

// numpyWhere is numpy.where(condition, x, y): the shape.
func (r *reader) numpyWhere(a *interp.Args) interp.Value {
	if len(a.Pos) != 3 {
		r.in.Fault("numpy.where with one argument is not followed")
	}
	c, x, y := r.asArray(a.Pos[0]), r.asArray(a.Pos[1]), r.asArray(a.Pos[2])
	if c == nil || x == nil || y == nil {
		return r.in.Unknown("the values of an array are not known")
	}
	return r.array(r.broadcastArrays(r.broadcastArrays(c.shape, x.shape), y.shape), wider(x.kind, y.kind), nil)
}

// numpyUnique is numpy.unique of known values.
func (r *reader) numpyUnique(a *interp.Args) interp.Value {
	return r.withArray(a, 0, func(x *ndarray) interp.Value {
		if x.data == nil || len(a.Pos)+len(a.Kw) > 1 {
			r.in.Fault("numpy.unique of values that are not known is not followed")
		}
		data := slices.Clone(x.data)
		sort.Float64s(data)
		data = slices.Compact(data)
		return r.array([]int64{int64(len(data))}, x.kind, data)
	})
}
