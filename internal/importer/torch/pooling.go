package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Pooling that says where each value was, and its inverse.

func init() {
	register(map[string]operation{"max_unpool1d": unpoolOp(1), "max_unpool2d": unpoolOp(2), "max_unpool3d": unpoolOp(3)})
	for n := 1; n <= 3; n++ {
		for _, name := range []string{"max_pool", "adaptive_max_pool"} {
			plain := name + index(n) + "d"
			register(map[string]operation{plain + "_with_indices": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
				kw := append(slices.Clone(a.Kw), interp.KV{Name: "return_indices", Value: true})
				return operations[plain](r, t, &interp.Args{Pos: a.Pos, Kw: kw})
			}})
		}
	}
}

// poolWithIndices is a pooling with return_indices: the values, and where they were.
func (r *reader) poolWithIndices(l *layer, params []graph.Param, inputs []*Tensor) interp.Value {
	params = slices.DeleteFunc(slices.Clone(params), func(p graph.Param) bool { return p.Name == "returnIndices" })
	out := r.attach(l.typ, l.spatial, params, nil, inputs)
	places := r.custom("indices", out.shape, 0, out)
	return interp.NewTuple(out, r.integers(places))
}

// unpoolOp is max_unpool over n axes: the shape that output_size says, or the one that the pooling would have had before it.
func unpoolOp(n int) operation {
	name := "max_unpool" + index(n) + "d"
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		b := a.Bind(r.in, name, "indices", "kernel_size", "stride", "padding", "output_size")
		places := r.tensor(name, b[0])
		if !places.shape.Equal(t.shape) || places.rank() != t.rank() {
			r.in.Raise("ValueError", "%s: the indices are %s where the input is %s", name, r.describe(places), r.describe(t))
		}
		if t.rank() != n+1 && t.rank() != n+2 {
			r.in.Raise("ValueError", "%s: Expected %dD or %dD input, got %s", name, n+1, n+2, r.describe(t))
		}
		kernel := r.each(name, b[1], n)
		stride, padding := kernel, r.each(name, interp.Or(b[3], int64(0)), n)
		if s := interp.Or(b[2], nil); s != nil {
			stride = r.each(name, s, n)
		}
		dims := t.dims()
		for i := range n {
			size, ok := dims[len(dims)-n+i].(int64)
			if !ok {
				r.in.Fault("%s over the batch is not followed", name)
			}
			dims[len(dims)-n+i] = (size-1)*stride[i] - 2*padding[i] + kernel[i]
		}
		if v := interp.Or(b[4], nil); v != nil {
			items := r.in.Iterate(v)
			if len(items) < n {
				r.in.Raise("ValueError", "output_size should be a sequence containing %d or %d elements, but it has a length of '%d'", n, n+2, len(items))
			}
			for i, want := range items[len(items)-n:] {
				size, ok := interp.AsInt(want)
				if !ok {
					r.in.Fault("an output size of %s is not known", name)
				}
				at := len(dims) - n + i
				if least := dims[at].(int64); size <= least-stride[i] || size >= least+stride[i] {
					r.in.Raise("ValueError", "invalid output_size %d (dim %d must be between %d and %d)", size, i, least-stride[i], least+stride[i])
				}
				dims[at] = size
			}
		}
		return r.declared(name, dims, 0, t, places)
	}
}

// each reads a number for all of n axes, or one for each.
func (r *reader) each(name string, v interp.Value, n int) []int64 {
	list := []interp.Value{v}
	switch v.(type) {
	case *interp.Tuple, *interp.List:
		list = r.in.Iterate(v)
	}
	out := make([]int64, n)
	for i := range out {
		k, ok := interp.AsInt(list[min(i, len(list)-1)])
		if !ok || len(list) != 1 && len(list) != n {
			r.in.Fault("%s is given a size that is not known", name)
		}
		out[i] = k
	}
	return out
}
