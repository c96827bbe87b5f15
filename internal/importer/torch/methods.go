package torch

import (
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// operation is a function of torch, torch.nn.functional or Tensor that takes a tensor first.
type operation func(r *reader, t *Tensor, a *interp.Args) interp.Value

// operations by name. A method x.f(…), torch.f(x, …) and F.f(x, …) are one.
var operations = map[string]operation{}

func register(table map[string]operation) {
	for name, op := range table {
		operations[name] = op
	}
}

// Attr reads an attribute or a method of a tensor.
func (t *Tensor) Attr(in *interp.Interp, name string) (interp.Value, bool) {
	r := t.r
	switch name {
	case "shape":
		return &interp.Tuple{Items: t.dims()}, true
	case "ndim":
		return int64(t.rank()), true
	case "device", "dtype", "layout", "names":
		if name == "dtype" && t.isInt {
			return interp.Symbol{Name: "torch.int64"}, true
		}
		if name == "dtype" {
			return interp.Symbol{Name: "torch.float32"}, true
		}
		return interp.Symbol{Name: name}, true
	case "data":
		return t, true
	case "T", "mT", "H":
		if t.rank() < 2 {
			return t, true
		}
		if name == "T" {
			order := make([]int, t.rank())
			for i := range order {
				order[i] = t.rank() - 1 - i
			}
			return r.permute(t, order), true
		}
		return r.swap(t, t.rank()-2, t.rank()-1), true
	case "is_cuda", "is_quantized", "is_sparse", "is_nested", "is_complex":
		return false, true
	case "requires_grad":
		return t.param != nil || !t.constant(), true
	case "grad":
		return nil, true
	}
	if t.Lacks(name) && !(len(name) > 1 && name[0] == '_') {
		return nil, false
	}
	if op, ok := operations[name]; ok {
		return interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value { return op(r, t, numpyNames(a)) }), true
	}
	if len(name) > 1 && name[len(name)-1] == '_' && name[0] != '_' { // relu_ and the like
		if op, ok := operations[name[:len(name)-1]]; ok {
			return interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value { return op(r, t, a) }), true
		}
		if t.constant() || t.param != nil { // initialisers
			return interp.Fn(name, func(*interp.Interp, *interp.Args) interp.Value { t.data = nil; return t }), true
		}
	}
	if name[0] == '_' {
		return nil, false
	}
	return in.Unknown("the method %s of tensors is not known", name), true
}

// SetAttr sets what changes nothing: names, gradients, and the data of weights.
func (t *Tensor) SetAttr(in *interp.Interp, name string, v interp.Value) bool {
	if x, ok := v.(*Tensor); ok && name == "data" {
		t.shape, t.data = x.shape, x.data
		return true
	}
	return name != "shape"
}

// swap exchanges two axes of PyTorch's shape.
func (r *reader) swap(t *Tensor, a, b int) *Tensor {
	order := make([]int, t.rank())
	for i := range order {
		order[i] = i
	}
	order[a], order[b] = order[b], order[a]
	return r.permute(t, order)
}

// sizes reads sizes that are given one by one or in one sequence.
func (r *reader) sizes(a *interp.Args, names ...string) []interp.Value {
	list := a.Pos
	for _, n := range names {
		if v, ok := a.Get(n, -1); ok {
			list = append(list[:len(list):len(list)], v)
		}
	}
	if len(list) == 1 {
		switch x := list[0].(type) {
		case *interp.Tuple, *interp.List:
			return r.in.Iterate(x)
		case *interp.Unknown:
			r.in.Fault("sizes are not known: %s", x.Reason())
		}
	}
	return list
}

// simple is an element-wise operation without parameters that the catalogue has.
func simple(typ string) operation {
	return func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return r.unary(typ, t) }
}

// shaped is an element-wise operation that the catalogue does not have.
func shaped(name string) operation {
	return func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
		out := r.custom(name, t.shape, 0, t)
		if out.constant() {
			out.data = valuesOf(name, t)
		}
		return out
	}
}

func init() {
	for _, n := range []string{"contiguous", "to", "cuda", "cpu", "detach", "clone", "type_as", "float", "half", "double", "bfloat16", "requires_grad_",
		"pin_memory", "as_subclass", "retain_grad", "type", "rename", "refine_names", "align_to", "numpy"} {
		register(map[string]operation{n: func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			if n == "float" || n == "half" || n == "double" || n == "bfloat16" || len(a.Pos) == 1 && isFloatType(a.Pos[0]) || n == "type_as" && !a.Pos[0].(*Tensor).isInt {
				return r.toFloat(t)
			}
			if dtype, ok := a.Get("dtype", -1); ok && isFloatType(dtype) {
				return r.toFloat(t)
			}
			if n == "clone" && t.param != nil || n == "detach" && t.param != nil {
				return r.reshapeGraph(t, t.shape)
			}
			return t
		}})
	}
	for _, n := range []string{"long", "int", "bool", "byte"} {
		register(map[string]operation{n: func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
			if t.isInt && n != "bool" {
				return t
			}
			c := t.clone()
			if !t.constant() {
				c = r.custom(n, t.shape, 0, t)
			}
			c.isInt, c.mask = n != "bool", n == "bool"
			c.data = slices.Clone(t.data)
			for i := range c.data {
				c.data[i] = math.Trunc(c.data[i])
				if n == "bool" && t.data[i] != 0 {
					c.data[i] = 1
				}
			}
			return c
		}})
	}
	register(map[string]operation{
		"exp": simple("exp"), "sqrt": simple("sqrt"), "log": simple("log"), "abs": simple("abs"), "neg": simple("neg"),
		"relu": simple("relu"), "relu6": simple("relu6"), "sigmoid": simple("sigmoid"), "tanh": simple("tanh"), "silu": simple("silu"),
		"selu": simple("selu"), "mish": simple("mish"), "hardswish": simple("hardSwish"), "hardsigmoid": simple("hardSigmoid"),
		"softsign": simple("softsign"), "logsigmoid": simple("logSigmoid"), "tanhshrink": simple("tanhShrink"), "negative": simple("neg"),
		"absolute": simple("abs"),
	})
	for _, n := range []string{"sin", "cos", "tan", "rsqrt", "floor", "ceil", "round", "sign", "erf", "log2", "log10", "log1p", "expm1", "reciprocal", "square",
		"frac", "atan", "asin", "acos", "sinh", "cosh", "isnan", "isinf", "logical_not", "trunc", "bernoulli", "digamma", "lgamma", "nan_to_num", "angle"} {
		register(map[string]operation{n: shaped(n)})
	}
}

func init() {
	register(map[string]operation{
		"size": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			if d, ok := a.Get("dim", 0); ok {
				return t.size(r.dim(d, t.rank()))
			}
			return &interp.Tuple{Items: t.dims()}
		},
		"dim":        func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return int64(t.rank()) },
		"ndimension": func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return int64(t.rank()) },
		"numel":      numel, "nelement": numel,
		"is_contiguous":     func(*reader, *Tensor, *interp.Args) interp.Value { return true },
		"is_floating_point": func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return !t.isInt },
		"get_device":        func(*reader, *Tensor, *interp.Args) interp.Value { return int64(0) },
		"item":              func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return t.ToNumber(r.in) },
		"tolist": func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
			if len(t.shape) != 1 || int64(len(t.data)) != t.shape[0] {
				return r.in.Unknown("the values of a tensor are not known")
			}
			out := interp.NewList()
			for _, v := range t.data {
				if t.isInt {
					out.Items = append(out.Items, int64(v))
				} else {
					out.Items = append(out.Items, v)
				}
			}
			return out
		},
	})
}

func isFloatType(v interp.Value) bool {
	s, ok := v.(interp.Symbol)
	if !ok {
		return false
	}
	switch s.Name {
	case "torch.float", "torch.float32", "torch.float16", "torch.half", "torch.bfloat16", "torch.double", "torch.float64":
		return true
	}
	return false
}

func numel(r *reader, t *Tensor, _ *interp.Args) interp.Value {
	n := t.shape.Size()
	if t.batch >= 0 {
		return sym{n}
	}
	return n
}

// axisOp is an operation along one axis that keeps the shape, such as softmax.
func axisOp(typ string, more ...string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		b := a.Bind(r.in, typ, append([]string{"dim", "_stacklevel", "dtype"}, more...)...)
		d := interp.Or(b[0], nil)
		if d == nil { // the axis that PyTorch takes where none is given
			d = int64(1)
			if n := t.rank(); n == 0 || n == 1 || n == 3 {
				d = int64(0)
			}
		}
		if t.axis(r.dim(d, t.rank())) < 0 {
			return r.acrossBatch(typ, r.toFloat(t))
		}
		return r.apply(typ, typ, []graph.Param{param("dim", r.sampleAxis(t, d, typ))}, r.toFloat(t))
	}
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
		return r.reduced(typ, t, axes, keep)
	}
}

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

// later is a result that most programs throw away: it becomes a component only when it is used.
type later struct{ make func() interp.Value }

// Attr makes the tensor, and reads its attribute.
func (l *later) Attr(in *interp.Interp, name string) (interp.Value, bool) {
	return in.FindAttr(l.make(), name)
}

// Operate makes the tensor, and computes with it.
func (l *later) Operate(in *interp.Interp, op string, other interp.Value, swapped bool) (interp.Value, bool) {
	if t, ok := l.make().(*Tensor); ok {
		return t.Operate(in, op, other, swapped)
	}
	return nil, false
}

// Item makes the tensor, and indexes it.
func (l *later) Item(in *interp.Interp, index interp.Value) interp.Value {
	return in.Item(l.make(), index)
}
