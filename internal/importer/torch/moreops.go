package torch

import (
	"math"
	"slices"
	"sync"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Operations that the catalogue has no type for: what they give is worked out in PyTorch's shapes, and a component of declared shape stands
// for each.

// integers marks a tensor as one of integers, for the engine, too.
func (r *reader) integers(t *Tensor) *Tensor {
	t.isInt, t.mask = true, false
	if t.node >= 0 && t.node < len(r.graph.Components) {
		if c := &r.graph.Components[t.node]; c.Type == "customModule" {
			c.Params = append(c.Params, param("outDtype", "int64"))
		}
	}
	return t
}

// constantOfShape makes a constant of a size.
func (r *reader) constantOfShape(isInt bool, sizes ...int64) *Tensor {
	return &Tensor{r: r, node: -1, shape: append(catalog.Of(), sizes...), batch: -1, isInt: isInt}
}

// same is an operation that keeps the shape.
func same(name string, isInt bool) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		inputs := []*Tensor{t}
		for _, v := range a.Pos {
			if x, ok := v.(*Tensor); ok && !x.constant() {
				inputs = append(inputs, x)
			}
		}
		out := r.declared(name, t.dims(), 0, inputs...)
		if isInt || t.isInt {
			r.integers(out)
		}
		return out
	}
}

// pairwise is an operation of two tensors, or of a tensor and a number, element by element.
func pairwise(name string, keepsInt bool) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		v, ok := a.Get("other", 0)
		if !ok {
			r.in.Raise("TypeError", "%s() needs another operand", name)
		}
		if u, unknown := v.(*interp.Unknown); unknown {
			r.in.Fault("a tensor meets a value that is not known: %s", u.Reason())
		}
		var out *Tensor
		o, isTensor := v.(*Tensor)
		if isTensor {
			out = r.elementwise(name, t, o)
		} else {
			out = r.declared(name, t.dims(), 0, t)
		}
		if keepsInt && t.isInt && (!isTensor || o.isInt) {
			r.integers(out)
		}
		return out
	}
}

// masks is an operation that gives truths.
func masks(op operation) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		out := op(r, t, a)
		if x, ok := out.(*Tensor); ok {
			x.mask, x.isInt = true, false
		}
		return out
	}
}

// reduceBy is a reduction that the catalogue does not have: over axes, or over everything.
func reduceBy(name string, isInt bool) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		d, given := a.Get("dim", 0)
		if !given {
			d, given = a.Get("axis", -1)
		}
		keep := false
		if v, ok := a.Get("keepdim", 1); ok {
			keep = r.in.Truth(v)
		}
		return r.reducedBy(name, isInt || t.isInt, t, d, given && d != nil, keep)
	}
}

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

func keptDims(_ *reader, t *Tensor, _ *interp.Args) []interp.Value { return t.dims() }

func lostDim(name string, at int) func(r *reader, t *Tensor, a *interp.Args) []interp.Value {
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

// withheld is an operation whose result has a size that depends on values.
func withheld(name string) operation {
	return func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
		r.in.Fault("the size of what %s gives depends on values", name)
		return nil
	}
}

// addOperations registers what this file and fourier.go have, over what others registered before.
var addOperations = sync.OnceFunc(func() {
	elementOperations()
	shapeOperations()
	fourierOperations()
})

func elementOperations() {
	for n, op := range map[string]string{"eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=", "less": "<", "greater": ">", "less_equal": "<=", "greater_equal": ">=", "not_equal": "!="} {
		register(map[string]operation{n: arithmeticOp(op)})
	}
	for _, n := range []string{"logical_and", "logical_or", "logical_xor", "isclose"} {
		register(map[string]operation{n: masks(pairwise(n, false))})
	}
	for _, n := range []string{"atan2", "arctan2", "hypot", "xlogy", "logaddexp", "logaddexp2", "copysign", "fmax", "fmin", "float_power", "heaviside", "nextafter"} {
		register(map[string]operation{n: pairwise(n, false)})
	}
	for _, n := range []string{"fmod", "remainder", "floor_divide", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "gcd", "lcm"} {
		register(map[string]operation{n: pairwise(n, true)})
	}
	for _, n := range []string{"erfinv", "erfc", "logit", "exp2", "arccos", "arcsin", "arctan", "arccosh", "arcsinh", "arctanh", "acosh", "asinh", "atanh", "sinc", "deg2rad", "rad2deg",
		"i0", "sgn", "fix", "cumprod", "logcumsumexp", "renorm", "clamp_max", "expit", "ndtri", "ndtr", "log_ndtr", "positive", "conj", "conj_physical", "resolve_conj", "bitwise_not", "rot90", "poisson", "softplus_", "matrix_exp", "mvlgamma", "polygamma", "entr", "i0e", "i1", "i1e", "gammaln"} {
		if operations[n] == nil {
			register(map[string]operation{n: same(n, false)})
		}
	}
	// What writes into parts of a tensor keeps its shape.
	for _, n := range []string{"scatter", "scatter_add", "scatter_reduce", "index_add", "index_fill", "index_copy", "index_put", "index_reduce", "masked_scatter", "put", "fill_diagonal",
		"select_scatter", "slice_scatter", "diagonal_scatter", "copysign_", "exponential", "cauchy", "geometric", "log_normal", "random"} {
		if operations[n] == nil {
			register(map[string]operation{n: same(n, false)})
		}
	}
	for _, n := range []string{"argsort", "bincount_like"} {
		register(map[string]operation{n: same(n, true)})
	}
	for _, n := range []string{"prod", "nansum", "nanmean", "quantile", "nanquantile", "aminmax_"} {
		register(map[string]operation{n: reduceBy(n, false)})
	}
	for _, n := range []string{"argmin", "count_nonzero"} {
		register(map[string]operation{n: reduceBy(n, true)})
	}
	for _, n := range []string{"all", "any"} {
		register(map[string]operation{n: masks(reduceBy(n, false))})
	}
	for _, n := range []string{"isfinite", "isposinf", "isneginf", "isreal"} {
		register(map[string]operation{n: masks(same(n, false))})
	}
	for _, n := range []string{"nonzero", "unique", "unique_consecutive", "masked_select", "argwhere", "bincount"} {
		register(map[string]operation{n: withheld(n)})
	}
}

func shapeOperations() {
	register(map[string]operation{
		"sort": valuesAndIndices("sort", keptDims), "cummax": valuesAndIndices("cummax", keptDims), "cummin": valuesAndIndices("cummin", keptDims),
		"median": medianOp("median"), "nanmedian": medianOp("nanmedian"), "mode": valuesAndIndices("mode", lostDim("mode", 0)), "kthvalue": valuesAndIndices("kthvalue", lostDim("kthvalue", 1)),
		"index_select": indexSelect, "take_along_dim": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			b := a.Bind(r.in, "take_along_dim", "indices", "dim")
			return r.declared("take_along_dim", r.tensor("take_along_dim", b[0]).dims(), 0, t)
		},
		"take": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			return r.declared("take", r.tensor("take", a.Pos[0]).dims(), 0, t)
		},
		"equal": func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
			return r.in.Unknown("whether tensors are equal is not known")
		},
		"allclose": func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
			return r.in.Unknown("whether tensors are close is not known")
		},
		"element_size": func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
			if t.isInt {
				return int64(8)
			}
			return int64(4)
		},
		"is_complex": func(_ *reader, t *Tensor, _ *interp.Args) interp.Value { return t.complex }, "is_signed": func(*reader, *Tensor, *interp.Args) interp.Value { return true },
		"is_nonzero": func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
			return r.in.Unknown("the value of a tensor is not known")
		},
		"diagonal": diagonalOp, "diag": diagOp, "diag_embed": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			d := t.dims()
			return r.declared("diag_embed", append(d, d[len(d)-1]), 0, t)
		},
		"trace": func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return r.declared("trace", nil, 0, t) },
		"cross": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			return r.elementwise("cross", t, r.tensor("cross", a.Pos[0]))
		},
		"outer": outerOp, "ger": outerOp, "dot": dotOp, "inner": dotOp, "vdot": dotOp, "mv": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			return r.matmul(t, r.tensor("mv", a.Pos[0]))
		},
		"baddbmm": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			return r.merge("add", r.matmul(r.tensor("baddbmm", a.Pos[0]), r.tensor("baddbmm", a.Pos[1])), t)
		},
		"addmm": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			return r.merge("add", r.matmul(r.tensor("addmm", a.Pos[0]), r.tensor("addmm", a.Pos[1])), t)
		},
		"addmv": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			return r.merge("add", r.matmul(r.tensor("addmv", a.Pos[0]), r.tensor("addmv", a.Pos[1])), t)
		},
		"addcdiv": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			return r.elementwise("addcdiv", t, r.tensor("addcdiv", a.Pos[0]), r.tensor("addcdiv", a.Pos[1]))
		},
		"multinomial": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			b := a.Bind(r.in, "multinomial", "num_samples", "replacement", "generator")
			n, ok := r.in.Int(b[0])
			if !ok {
				r.in.Fault("how many samples are drawn is not known")
			}
			d := t.dims()
			return r.integers(r.declared("multinomial", append(d[:len(d)-1:len(d)-1], n), 0, t))
		},
		"bucketize": func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
			return r.integers(r.declared("bucketize", t.dims(), 0, t))
		},
		"searchsorted": searchSorted, "cdist": cdistOp, "tensordot": tensordotOp, "kron": kronOp, "fliplr": flipAt(1), "flipud": flipAt(0),
		"hsplit": nil, "where": whereOp, "new": func(r *reader, t *Tensor, a *interp.Args) interp.Value { return r.filled(r.sizes(a), t.isInt) },
		"short": operations["long"], "char": operations["long"],
		"register_hook": func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return handle("register_hook")(r.in, nil) },
		"data_ptr": func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
			return r.in.Unknown("the place of a tensor in memory is not known")
		},
		"is_leaf":  func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return t.param != nil },
		"var_mean": twoReductions("var", "mean"), "std_mean": twoReductions("std", "mean"), "aminmax": twoReductions("min", "max"),
	})
	delete(operations, "hsplit")
}

func twoReductions(first, second string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		return interp.NewTuple(reduce(first)(r, t, a), reduce(second)(r, t, a))
	}
}

func medianOp(name string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		if len(a.Pos)+len(a.Kw) == 0 {
			return r.reducedBy(name, t.isInt, t, nil, false, false)
		}
		return valuesAndIndices(name, lostDim(name, 0))(r, t, a)
	}
}

func whereOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	list := []*Tensor{t}
	for _, v := range a.Pos {
		if x, ok := v.(*Tensor); ok {
			list = append(list, x)
		}
	}
	if len(a.Pos) != 2 {
		r.in.Fault("where of this kind is not followed")
	}
	return r.chosen(t, a.Pos[1], r.elementwise("where", list...))
}

// chosen is what where gives: integers where both sides are.
func (r *reader) chosen(a, b interp.Value, out *Tensor) *Tensor {
	whole := func(v interp.Value) bool {
		if t, ok := v.(*Tensor); ok {
			return t.isInt
		}
		_, ok := interp.AsInt(v)
		return ok
	}
	if whole(a) && whole(b) {
		r.integers(out)
	}
	return out
}

func indexSelect(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "index_select", "dim", "index")
	at, index := r.dim(b[0], t.rank()), r.tensor("index_select", b[1])
	if index.rank() > 1 {
		r.in.Raise("IndexError", "index_select(): Index is supposed to be a vector")
	}
	if at == 0 && t.batch < 0 && t.param != nil && index.constant() {
		return r.rows(t, index)
	}
	r.within(index, t.size(at))
	d := t.dims()
	d[at] = int64(1)
	if index.rank() == 1 {
		d[at] = index.size(0)
	}
	inputs := []*Tensor{t}
	if !index.constant() {
		inputs = append(inputs, index)
	}
	out := r.declared("index_select", d, 0, inputs...)
	if t.isInt {
		r.integers(out)
	}
	return out
}

func diagonalSize(r *reader, a, b interp.Value, offset int64) interp.Value {
	n, okN := r.in.Int(a)
	m, okM := r.in.Int(b)
	if !okN || !okM {
		r.in.Fault("the size of a diagonal is not known")
	}
	if offset >= 0 {
		return max(min(n, m-offset), 0)
	}
	return max(min(n+offset, m), 0)
}

func diagonalOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "diagonal", "offset", "dim1", "dim2")
	offset, _ := interp.AsInt(interp.Or(b[0], int64(0)))
	i, k := r.dim(interp.Or(b[1], int64(0)), t.rank()), r.dim(interp.Or(b[2], int64(1)), t.rank())
	d := t.dims()
	var dims []interp.Value
	for at, size := range d {
		if at != i && at != k {
			dims = append(dims, size)
		}
	}
	return r.declared("diagonal", append(dims, diagonalSize(r, d[i], d[k], offset)), 0, t)
}

func diagOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "diag", "diagonal")
	offset, _ := interp.AsInt(interp.Or(b[0], int64(0)))
	d := t.dims()
	switch len(d) {
	case 1:
		n := r.in.Binary("+", d[0], int64(math.Abs(float64(offset))))
		return r.declared("diag", []interp.Value{n, n}, 0, t)
	case 2:
		return r.declared("diag", []interp.Value{diagonalSize(r, d[0], d[1], offset)}, 0, t)
	}
	r.in.Raise("RuntimeError", "diag(): Supports 1D or 2D tensors. Got %dD", len(d))
	return nil
}

func outerOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	v, _ := a.Get("vec2", 0)
	o := r.tensor("outer", v)
	if t.rank() != 1 || o.rank() != 1 {
		r.in.Raise("RuntimeError", "outer: Expected 1-D arguments")
	}
	out := r.declared("outer", []interp.Value{t.size(0), o.size(0)}, 0, t, o)
	if out.constant() && len(t.data) > 0 && len(o.data) > 0 && len(t.data)*len(o.data) <= maxData {
		for _, x := range t.data {
			for _, y := range o.data {
				out.data = append(out.data, float64(float32(x*y)))
			}
		}
	}
	return out
}

func dotOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	return r.matmul(t, r.tensor("dot", a.Pos[0]))
}

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

// cdistOp is the distance of all rows of one tensor to all rows of another.
func cdistOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	o := r.tensor("cdist", a.Pos[0])
	if t.rank() < 2 || o.rank() < 2 {
		r.in.Raise("RuntimeError", "cdist only supports at least 2D tensors")
	}
	x, y := t.dims(), o.dims()
	if k, m := x[len(x)-1], y[len(y)-1]; k != m {
		r.in.Raise("RuntimeError", "X1 and X2 must have the same number of columns. X1: %s X2: %s", describeSize(k), describeSize(m))
	}
	lead := r.broadcastDims("cdist", x[:len(x)-2], y[:len(y)-2])
	return r.declared("cdist", append(slices.Clone(lead), x[len(x)-2], y[len(y)-2]), 0, t, o)
}

// tensordotOp contracts axes of two tensors.
func tensordotOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "tensordot", "b", "dims")
	o := r.tensor("tensordot", b[0])
	dims := interp.Or(b[1], int64(2))
	var left, right []int
	if n, ok := interp.AsInt(dims); ok {
		for i := range int(n) {
			left, right = append(left, t.rank()-int(n)+i), append(right, i)
		}
	} else {
		pair := r.in.Iterate(dims)
		for _, v := range r.intList("dims", pair[0]) {
			left = append(left, r.dim(v, t.rank()))
		}
		for _, v := range r.intList("dims", pair[1]) {
			right = append(right, r.dim(v, o.rank()))
		}
	}
	flops := int64(2)
	if len(left) != len(right) {
		r.in.Raise("RuntimeError", "both dimension lists should have same length")
	}
	for i := range left {
		if t.size(left[i]) != o.size(right[i]) {
			r.in.Raise("RuntimeError", "contracted dimensions need to match, but first has size %s and second %s", describeSize(t.size(left[i])), describeSize(o.size(right[i])))
		}
	}
	var out []interp.Value
	for i, d := range t.dims() {
		if n, ok := d.(int64); ok {
			flops *= n
		}
		if !slices.Contains(left, i) {
			out = append(out, d)
		}
	}
	for i, d := range o.dims() {
		if !slices.Contains(right, i) {
			if n, ok := d.(int64); ok {
				flops *= n
			}
			out = append(out, d)
		}
	}
	return r.declared("tensordot", out, flops, t, o)
}

func kronOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	o := r.tensor("kron", a.Pos[0])
	if o.rank() != t.rank() {
		r.in.Fault("kron of this kind is not followed")
	}
	d := t.dims()
	for i := range d {
		d[i] = r.in.Binary("*", d[i], o.size(i))
	}
	return r.declared("kron", d, 0, t, o)
}

func flipAt(axis int64) operation {
	return func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
		return operations["flip"](r, t, &interp.Args{Pos: []interp.Value{axis}})
	}
}
