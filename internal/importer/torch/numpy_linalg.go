package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

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

// numpyEinsum is numpy.einsum: the shape.
func (r *reader) numpyEinsum(a *interp.Args) interp.Value {
	equation, ok := a.Pos[0].(string)
	if !ok {
		r.in.Fault("einsum with an equation that is not known")
	}
	args := &interp.Args{Pos: []interp.Value{equation}}
	for _, v := range a.Pos[1:] {
		x := r.asArray(v)
		if x == nil {
			return r.in.Unknown("the values of an array are not known")
		}
		args.Pos = append(args.Pos, r.constantOfShape(false, x.shape...))
	}
	return r.asArray(r.einsum(args))
}

// numpyProducts are einsum, outer, kron and diag.
func (r *reader) numpyProducts(set setter) {
	set("einsum", r.numpyEinsum)
	r.setShaped(set, "outer", func(x *ndarray, a *interp.Args) []int64 {
		return []int64{count(x.shape), count(r.asArray(a.Pos[1]).shape)}
	})
	r.setShaped(set, "kron", r.kronShape)
	r.setShaped(set, "diag", func(x *ndarray, a *interp.Args) []int64 {
		if len(x.shape) == 2 {
			return []int64{min(x.shape[0], x.shape[1])}
		}
		return []int64{x.shape[0], x.shape[0]}
	})
}

// kronShape is the shape of numpy.kron(a, b) of two arrays of one rank.
func (r *reader) kronShape(x *ndarray, a *interp.Args) []int64 {
	y, out := r.asArray(a.Pos[1]), []int64{}
	if len(y.shape) != len(x.shape) {
		r.in.Fault("kron of this kind is not followed")
	}
	for i := range x.shape {
		out = append(out, x.shape[i]*y.shape[i])
	}
	return out
}
