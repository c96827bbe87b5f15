package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Sorting and order statistics: what gives values together with their indices, or the indices alone.
func init() {
	register(map[string]operation{
		"sort": valuesAndIndices("sort", keptDims), "cummax": valuesAndIndices("cummax", keptDims), "cummin": valuesAndIndices("cummin", keptDims),
		"median": medianOp("median"), "nanmedian": medianOp("nanmedian"),
		"mode": valuesAndIndices("mode", lostDim(0)), "kthvalue": valuesAndIndices("kthvalue", lostDim(1)),
		"max": valueAndIndex("max"), "min": valueAndIndex("min"), "argmax": argmaxOp, "topk": topkOp,
		"searchsorted": searchSorted, "bucketize": bucketizeOp,
	})
	registerEach(sameInt, "argsort", "bincount_like")
}

// argmaxOp is torch.argmax.
func argmaxOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "argmax", "dim", "keepdim")
	if interp.Or(b[0], nil) == nil { // of all elements together
		return r.reducedBy("argmax", true, t, nil, false, r.in.Truth(interp.Or(b[1], false)))
	}
	return r.placesOf(t, b[0], r.in.Truth(interp.Or(b[1], false))).(*later).make()
}

// topkOp is torch.topk.
func topkOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "topk", "k", "dim", "largest", "sorted")
	dim := r.sampleAxis(t, interp.Or(b[1], int64(-1)), "topk")
	make := func(i int) *Tensor {
		return r.apply("topK", "topk", []graph.Param{{Name: "k", Value: r.value("k", b[0])}, param("dim", dim), param("index", i)}, t)
	}
	return &interp.Tuple{Items: []interp.Value{make(0), make(1)}, Fields: []string{"values", "indices"}}
}

// valueAndIndex is max(x, dim) and the like: the values and where they are.
func valueAndIndex(typ string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		b := a.Bind(r.in, typ, "dim", "keepdim", "axis", "other")
		d := interp.Or(b[0], interp.Or(b[2], interp.Or(b[3], nil)))
		if o, ok := d.(*Tensor); ok {
			return r.merge(typ+"imum", t, o)
		}
		if d == nil {
			return reduce(typ)(r, t, &interp.Args{})
		}
		keep := r.in.Truth(interp.Or(b[1], false))
		values := r.reduced(typ, t, []interp.Value{d}, keep)
		places := r.placesOf(t, d, keep)
		return &interp.Tuple{Items: []interp.Value{values, places}, Fields: []string{"values", "indices"}}
	}
}

// placesOf is argmax along an axis, made only if it is used.
func (r *reader) placesOf(t *Tensor, d interp.Value, keep bool) interp.Value {
	if i := r.dim(d, t.rank()); t.axis(i) < 0 {
		return &later{func() interp.Value {
			out := r.reduceBatch("argmax", t, map[int]bool{i: true}, keep)
			out.isInt = true
			return out
		}}
	}
	params := []graph.Param{param("dim", r.sampleAxis(t, d, "argmax"))}
	if keep {
		params = append(params, param("keepDim", true))
	}
	return &later{func() interp.Value {
		out := r.apply("argmax", "argmax", params, t)
		out.batch, out.pre, out.post = t.batch, t.pre, t.post
		if !keep && r.dim(d, t.rank()) < t.batch {
			out.batch--
		}
		return out
	}}
}

// valuesAndIndices is an operation that gives values and where they were.
func valuesAndIndices(name string, dims func(r *reader, t *Tensor, a *interp.Args) []interp.Value) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		d := dims(r, t, a)
		values := r.declared(name, d, 0, t)
		values.isInt = t.isInt
		indices := &later{make: func() interp.Value { return r.integers(r.declared(name, d, 0, t)) }}
		return &interp.Tuple{Items: []interp.Value{values, indices}, Fields: []string{"values", "indices"}}
	}
}

// keptDims are the sizes of an operation that keeps the shape.
func keptDims(_ *reader, t *Tensor, _ *interp.Args) []interp.Value { return t.dims() }

// lostDim are the sizes of an operation that reduces the axis dim, which is its argument number at.
func lostDim(at int) func(r *reader, t *Tensor, a *interp.Args) []interp.Value {
	return func(r *reader, t *Tensor, a *interp.Args) []interp.Value {
		d, ok := a.Get("dim", at)
		if !ok {
			d = int64(-1)
		}
		i := r.dim(d, t.rank())
		dims := t.dims()
		if v, ok := a.Get("keepdim", at+1); ok && r.in.Truth(v) {
			dims[i] = int64(1)
			return dims
		}
		return slices.Delete(dims, i, i+1)
	}
}

// medianOp is torch.median: of everything, or along an axis with the indices.
func medianOp(name string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		if len(a.Pos)+len(a.Kw) == 0 {
			return r.reducedBy(name, t.isInt, t, nil, false, false)
		}
		return valuesAndIndices(name, lostDim(0))(r, t, a)
	}
}

// searchSorted is torch.searchsorted, with the shape of the values that are searched for.
func searchSorted(r *reader, t *Tensor, a *interp.Args) interp.Value {
	v, ok := a.Get("input", 0)
	if !ok {
		v, _ = a.Get("values", 0)
	}
	x, isTensor := v.(*Tensor)
	if !isTensor {
		return r.integers(r.constantOfShape(true))
	}
	return r.integers(r.declared("searchsorted", x.dims(), 0, x))
}

// bucketizeOp is torch.bucketize.
func bucketizeOp(r *reader, t *Tensor, _ *interp.Args) interp.Value {
	return r.integers(r.declared("bucketize", t.dims(), 0, t))
}
