package torch

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Reductions over axes, or over everything, and cumulative ones, which keep the shape.
func init() {
	register(map[string]operation{
		"mean": reduce("mean"), "sum": reduce("sum"), "var": reduce("var"), "std": reduce("std"), "amax": reduce("max"), "amin": reduce("min"),
		"logsumexp": reduce("logSumExp"), "norm": normOp, "normalize": normalizeOp,
		"var_mean": twoReductions("var", "mean"), "std_mean": twoReductions("std", "mean"), "aminmax": twoReductions("min", "max"),
	})
	registerEach(reduceBy, "prod", "nansum", "nanmean", "quantile", "nanquantile", "aminmax_")
	registerEach(same, "cumprod", "logcumsumexp", "renorm")
	registerEach(reduceToInt, "argmin", "count_nonzero")
}

// reduce is a reduction over axes. Over the batch, or over everything, it gives no longer one value per sample.
func reduce(typ string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		b := a.Bind(r.in, typ, "dim", "keepdim", "dtype", "correction", "unbiased", "axis")
		dims := interp.Or(b[0], interp.Or(b[5], nil))
		keep := r.in.Truth(interp.Or(b[1], false))
		if _, isBool := dims.(bool); isBool { // x.std(False) says unbiased, over everything
			dims = nil
		}
		var axes []interp.Value
		switch x := dims.(type) {
		case nil:
			for i := range t.rank() {
				axes = append(axes, int64(i))
			}
		case *interp.Tuple, *interp.List:
			axes = r.in.Iterate(x)
		default:
			axes = []interp.Value{x}
		}
		out := r.reduced(typ, t, axes, keep)
		if to := interp.Or(b[2], nil); to != nil {
			out.width = widthOf(to)
		}
		return out
	}
}

// reduced is a reduction that the catalogue has, over axes of PyTorch's shape.
func (r *reader) reduced(typ string, t *Tensor, axes []interp.Value, keep bool) *Tensor {
	var list []int64
	drop := map[int]bool{}
	for _, d := range axes {
		i := r.dim(d, t.rank())
		drop[i] = true
		list = append(list, int64(t.axis(i)+1))
	}
	if t.batch >= 0 && drop[t.batch] {
		return r.reduceBatch(typ, t, drop, keep)
	}
	if t.isInt && typ != "sum" {
		t = r.toFloat(t)
	}
	var dims any = list
	if len(list) == 1 {
		dims = list[0]
	}
	params := []graph.Param{param("dim", dims)}
	if keep {
		params = append(params, param("keepDim", true))
	}
	out := r.apply(typ, typ, params, t)
	out.batch, out.pre, out.post = t.batch, t.pre, t.post
	if !keep {
		for i := range t.batch {
			if drop[i] {
				out.batch--
			}
		}
	}
	return out
}

// reduceBy is a reduction that the catalogue does not have: over axes, or over everything.
func reduceBy(name string) operation { return reductionOf(name, false) }

// reduceToInt is one that gives integers.
func reduceToInt(name string) operation { return reductionOf(name, true) }

// reductionOf reads the arguments of a reduction that the catalogue does not have.
func reductionOf(name string, isInt bool) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		d, given := a.Get("dim", 0)
		if !given {
			d, given = a.Get("axis", -1)
		}
		keep := false
		if v, ok := a.Get("keepdim", 1); ok {
			keep = r.in.Truth(v)
		}
		if name == "prod" && !(given && d != nil) && t.countable() {
			return r.productOf(t)
		}
		return r.reducedBy(name, isInt || t.isInt, t, d, given && d != nil, keep)
	}
}

// reducedBy is a reduction that the catalogue does not have, over the axes d or, where none is given, over everything.
func (r *reader) reducedBy(name string, isInt bool, t *Tensor, d interp.Value, given, keep bool) *Tensor {
	drop := map[int]bool{}
	switch x := d.(type) {
	case *interp.Tuple, *interp.List:
		for _, v := range r.in.Iterate(x) {
			drop[r.dim(v, t.rank())] = true
		}
	default:
		if given {
			drop[r.dim(d, t.rank())] = true
		}
	}
	var dims []interp.Value
	for i, size := range t.dims() {
		switch {
		case given && !drop[i]:
			dims = append(dims, size)
		case keep:
			dims = append(dims, int64(1))
		}
	}
	out := r.declared(name, dims, 0, t)
	if isInt {
		r.integers(out)
	}
	return out
}

// twoReductions gives a pair, as torch.var_mean does.
func twoReductions(first, second string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		return interp.NewTuple(reduce(first)(r, t, a), reduce(second)(r, t, a))
	}
}

// normOp is torch.norm.
func normOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "norm", "p", "dim", "keepdim", "dtype")
	d, keep := interp.Or(b[1], nil), r.in.Truth(interp.Or(b[2], false))
	switch d.(type) {
	case nil:
		return r.reducedBy("norm", false, t, nil, false, keep)
	case *interp.Tuple, *interp.List:
		if p := interp.Or(b[0], "fro"); (p == nil || p == "fro" || p == "nuc") && len(r.in.Iterate(d)) > 2 {
			r.in.Raise("RuntimeError", "linalg.matrix_norm: dim must be a 2-tuple. Got %s", interp.Repr(d))
		}
		return r.reducedBy("norm", false, t, d, true, keep)
	}
	return r.reduced("norm", t, []interp.Value{d}, keep)
}

// normalizeOp divides by the norm along an axis: the shape stays.
func normalizeOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "normalize", "p", "dim", "eps", "out")
	d := interp.Or(b[1], int64(1))
	norm := r.reduced("norm", t, []interp.Value{d}, true)
	return r.merge("divide", t, norm)
}
