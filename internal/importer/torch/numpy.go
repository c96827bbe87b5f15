package torch

import (
	"math"
	"slices"
	"sort"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

func init() { beside = append(beside, (*reader).numpy) }

// numpyFn is a function of numpy whose first argument is an array; a method of arrays has the same.
type numpyFn func(r *reader, x *ndarray, a *interp.Args) interp.Value

// numpyMethods are functions and methods. A function numpy.f(x, …) and a method x.f(…) are one.
var numpyMethods map[string]numpyFn

func init() {
	numpyMethods = map[string]numpyFn{
		"reshape": numpyReshape, "ravel": numpyFlat, "flatten": numpyFlat, "transpose": numpyTranspose, "squeeze": numpySqueeze,
		"astype": func(r *reader, x *ndarray, a *interp.Args) interp.Value {
			kind := x.kind
			if len(a.Pos) > 0 {
				kind = kindOf(a.Pos[0], kind)
			}
			return x.each(kind, castTo(kind))
		},
		"copy":   func(r *reader, x *ndarray, _ *interp.Args) interp.Value { return x.DeepCopy(nil, nil) },
		"tolist": func(r *reader, x *ndarray, _ *interp.Args) interp.Value { return r.listOf(x) },
		"item":   func(r *reader, x *ndarray, _ *interp.Args) interp.Value { return x.ToNumber(r.in) },
		"fill":   func(r *reader, x *ndarray, _ *interp.Args) interp.Value { x.data = nil; return nil },
		"repeat": numpyRepeat, "cumsum": numpyCumsum, "swapaxes": numpySwap,
		"argsort": func(r *reader, x *ndarray, _ *interp.Args) interp.Value { return r.array(x.shape, 'i', nil) },
		"sort":    func(r *reader, x *ndarray, _ *interp.Args) interp.Value { return r.array(x.shape, x.kind, nil) },
		"dot": func(r *reader, x *ndarray, a *interp.Args) interp.Value {
			return r.withArray(a, 0, func(y *ndarray) interp.Value { return r.numpyValue(r.dotArrays(x, y)) })
		},
		"clip": func(r *reader, x *ndarray, a *interp.Args) interp.Value {
			return r.numpyValue(r.array(x.shape, x.kind, nil))
		},
		"round": func(r *reader, x *ndarray, a *interp.Args) interp.Value {
			if len(a.Pos) > 0 {
				return r.numpyValue(r.array(x.shape, x.kind, nil))
			}
			return r.numpyValue(x.each(x.kind, math.RoundToEven))
		},
		"conj": func(r *reader, x *ndarray, _ *interp.Args) interp.Value { return x },
	}
	for name, f := range map[string]func([]float64) float64{
		"sum": func(v []float64) float64 { return total(v) },
		"prod": func(v []float64) float64 {
			n := 1.0
			for _, f := range v {
				n *= f
			}
			return n
		},
		"mean": func(v []float64) float64 { return total(v) / float64(len(v)) },
		"max":  func(v []float64) float64 { return slices.Max(append(v, math.Inf(-1))) }, "min": func(v []float64) float64 { return slices.Min(append(v, math.Inf(1))) },
		"any": func(v []float64) float64 {
			return boolFloat(slices.ContainsFunc(v, func(f float64) bool { return f != 0 }))
		},
		"all": func(v []float64) float64 { return boolFloat(!slices.Contains(v, 0)) },
		"std": nil, "var": nil, "median": nil,
		"argmax": func(v []float64) float64 { return float64(slices.Index(v, slices.Max(append(v, math.Inf(-1))))) },
		"argmin": func(v []float64) float64 { return float64(slices.Index(v, slices.Min(append(v, math.Inf(1))))) },
	} {
		numpyMethods[name] = numpyReduction(name, f)
	}
	numpyMethods["amax"], numpyMethods["amin"], numpyMethods["average"] = numpyMethods["max"], numpyMethods["min"], numpyMethods["mean"]
}

func total(v []float64) float64 {
	n := 0.0
	for _, f := range v {
		n += f
	}
	return n
}

// withArray reads an argument as an array; what is not known gives what is not known.
func (r *reader) withArray(a *interp.Args, i int, f func(*ndarray) interp.Value) interp.Value {
	if i >= len(a.Pos) {
		r.in.Fault("a function of numpy lacks an argument")
	}
	x := r.asArray(a.Pos[i])
	if x == nil {
		u := r.in.Unknown("the values of an array are not known")
		u.Harmless = true
		return u
	}
	return f(x)
}

// kindOf is the kind of numbers that a dtype means.
func kindOf(v interp.Value, otherwise byte) byte {
	switch x := v.(type) {
	case interp.Symbol:
		return kindByName(x.Name, otherwise)
	case string:
		return kindByName(x, otherwise)
	case *interp.Class:
		return kindByName(x.Name, otherwise)
	case *interp.Builtin:
		return kindByName(x.Name, otherwise)
	}
	return otherwise
}

func kindByName(name string, otherwise byte) byte {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '.' {
			name = name[i+1:]
			break
		}
	}
	switch name {
	case "int", "int8", "int16", "int32", "int64", "long", "uint8", "uint16", "uint32", "uint64", "intp", "int_", "i4", "i8", "longlong":
		return 'i'
	case "bool", "bool_":
		return 'b'
	case "float", "float16", "float32", "float64", "double", "half", "single", "float_", "f4", "f8":
		return 'f'
	}
	return otherwise
}

func castTo(kind byte) func(float64) float64 {
	switch kind {
	case 'i':
		return math.Trunc
	case 'b':
		return func(v float64) float64 { return boolFloat(v != 0) }
	}
	return func(v float64) float64 { return v }
}

func (r *reader) listOf(x *ndarray) interp.Value {
	if x.data == nil {
		u := r.in.Unknown("the values of an array are not known")
		u.Harmless = true
		return u
	}
	if len(x.shape) == 0 {
		return x.scalar(x.data[0])
	}
	out := interp.NewList()
	for _, v := range x.Iterate(r.in) {
		if row, ok := v.(*ndarray); ok {
			v = r.listOf(row)
		}
		out.Items = append(out.Items, v)
	}
	return out
}

// numpySizes reads a shape that is given as numbers or as one sequence.
func (r *reader) numpySizes(list []interp.Value) []int64 {
	if len(list) == 1 {
		switch x := list[0].(type) {
		case *interp.Tuple, *interp.List:
			list = r.in.Iterate(x)
		case *ndarray:
			list = r.in.Iterate(x)
		}
	}
	var out []int64
	for _, v := range list {
		n, ok := interp.AsInt(v)
		if !ok {
			if u, unknown := v.(*interp.Unknown); unknown {
				r.in.Fault("the size of an array is not known: %s", u.Reason())
			}
			r.in.Fault("the size of an array is a %s", interp.TypeName(v))
		}
		out = append(out, n)
	}
	return out
}

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

func numpyFlat(r *reader, x *ndarray, _ *interp.Args) interp.Value {
	return r.array([]int64{count(x.shape)}, x.kind, slices.Clone(x.data))
}

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

func numpyCumsum(r *reader, x *ndarray, a *interp.Args) interp.Value {
	if v, ok := a.Get("axis", 0); ok && v != nil && len(x.shape) > 1 {
		return r.array(x.shape, x.kind, nil)
	}
	data, sum := slices.Clone(x.data), 0.0
	for i := range data {
		sum += data[i]
		data[i] = sum
	}
	return r.array([]int64{count(x.shape)}, x.kind, data)
}

// numpyReduction is a reduction over all, or over axes.
func numpyReduction(name string, f func([]float64) float64) numpyFn {
	return func(r *reader, x *ndarray, a *interp.Args) interp.Value {
		kind := x.kind
		switch name {
		case "mean", "std", "var", "median":
			kind = 'f'
		case "sum", "prod":
			if kind == 'b' {
				kind = 'i'
			}
		case "argmax", "argmin":
			kind = 'i'
		case "any", "all":
			kind = 'b'
		}
		axis, given := a.Get("axis", 0)
		keep := false
		if v, ok := a.Get("keepdims", -1); ok {
			keep = r.in.Truth(v)
		}
		if !given || axis == nil {
			var data []float64
			if x.data != nil && f != nil && len(x.data) > 0 {
				data = []float64{f(slices.Clone(x.data))}
			}
			shape := []int64{}
			if keep {
				shape = slices.Repeat([]int64{1}, len(x.shape))
			}
			return r.numpyValue(r.array(shape, kind, data))
		}
		drop := map[int]bool{}
		for _, n := range r.numpySizes([]interp.Value{axis}) {
			drop[r.dim(n, len(x.shape))] = true
		}
		var shape []int64
		for i, n := range x.shape {
			switch {
			case !drop[i]:
				shape = append(shape, n)
			case keep:
				shape = append(shape, 1)
			}
		}
		return r.numpyValue(r.array(shape, kind, nil))
	}
}

// Attr reads an attribute or a method of an array.
func (x *ndarray) Attr(in *interp.Interp, name string) (interp.Value, bool) {
	r := x.r
	switch name {
	case "shape":
		return r.tupleOf(x.shape), true
	case "ndim":
		return int64(len(x.shape)), true
	case "size":
		return count(x.shape), true
	case "dtype":
		return interp.Symbol{Name: "numpy." + map[byte]string{'i': "int64", 'f': "float64", 'b': "bool"}[x.kind]}, true
	case "T":
		return numpyTranspose(r, x, &interp.Args{}), true
	case "real", "data", "flat":
		return x, true
	}
	if f, ok := numpyMethods[name]; ok {
		return interp.Fn(name, func(_ *interp.Interp, a *interp.Args) interp.Value { return f(r, x, a) }), true
	}
	if name[0] == '_' {
		return nil, false
	}
	u := in.Unknown("the method %s of arrays is not known", name)
	u.Harmless = true
	return u, true
}

// numpy is what models use of numpy.
func (r *reader) numpy() *interp.Module {
	r.ndarrayClass = interp.NewClass("ndarray")
	m := interp.Native("numpy", map[string]interp.Value{"ndarray": r.ndarrayClass, "pi": math.Pi, "e": math.E, "inf": math.Inf(1), "Inf": math.Inf(1), "nan": math.NaN(),
		"newaxis": nil, "random": r.numpyRandom()})
	for name, f := range numpyMethods {
		m.Attrs[name] = interp.Fn(name, func(_ *interp.Interp, a *interp.Args) interp.Value {
			return r.withArray(a, 0, func(x *ndarray) interp.Value { return f(r, x, &interp.Args{Pos: a.Pos[1:], Kw: a.Kw}) })
		})
	}
	for name, f := range numpyScalars {
		m.Attrs[name] = interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value {
			if len(a.Pos) == 1 {
				if t, ok := a.Pos[0].(*Tensor); ok && !t.constant() {
					in.Fault("numpy is given a tensor that depends on the input")
				}
			}
			return r.withArray(a, 0, func(x *ndarray) interp.Value {
				kind := byte('f')
				if name == "abs" || name == "absolute" || name == "square" || name == "sign" || name == "negative" {
					kind = x.kind
				}
				return r.numpyValue(x.each(kind, f))
			})
		})
	}
	for name, op := range map[string]string{"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "floor_divide": "//", "mod": "%",
		"power": "**", "matmul": "@", "equal": "==", "greater": ">", "less": "<"} {
		m.Attrs[name] = interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value { return in.Binary(op, a.Pos[0], a.Pos[1]) })
	}
	r.numpyMakers(m)
	for _, n := range []string{"int8", "int16", "int32", "int64", "uint8", "intp", "int_", "float16", "float32", "float64", "bool_", "double", "single", "float_", "uint16", "uint32", "uint64", "longlong"} {
		m.Attrs[n] = r.numpyType(n)
	}
	m.Lookup = func(n string) (interp.Value, bool) {
		if n[0] == '_' {
			return nil, false
		}
		u := r.in.Unknown("numpy has nothing known by the name %s", n)
		u.Harmless = true
		return u, true
	}
	return m
}

// numpyScalars are functions of each element.
var numpyScalars = map[string]func(float64) float64{
	"sqrt": math.Sqrt, "exp": math.Exp, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "tanh": math.Tanh, "log": math.Log, "log2": math.Log2, "log10": math.Log10,
	"log1p": math.Log1p, "ceil": math.Ceil, "floor": math.Floor, "rint": math.RoundToEven, "abs": math.Abs, "absolute": math.Abs, "arctan": math.Atan,
	"arcsin": math.Asin, "arccos": math.Acos, "sinh": math.Sinh, "cosh": math.Cosh, "expm1": math.Expm1, "cbrt": math.Cbrt, "trunc": math.Trunc,
	"square": func(x float64) float64 { return x * x }, "negative": func(x float64) float64 { return -x }, "deg2rad": func(x float64) float64 { return x * math.Pi / 180 },
	"radians": func(x float64) float64 { return x * math.Pi / 180 }, "rad2deg": func(x float64) float64 { return x * 180 / math.Pi },
	"sign": func(x float64) float64 { return boolFloat(x > 0) - boolFloat(x < 0) }, "sinc": func(x float64) float64 {
		if x == 0 {
			return 1
		}
		return math.Sin(math.Pi*x) / (math.Pi * x)
	},
}

// numpyType is a type of numbers: a value of it is a number, or an array.
func (r *reader) numpyType(name string) interp.Value {
	return interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value {
		if len(a.Pos) == 0 {
			return int64(0)
		}
		kind := kindByName(name, 'f')
		return r.withArray(a, 0, func(x *ndarray) interp.Value { return r.numpyValue(x.each(kind, castTo(kind))) })
	})
}

// numpyRandom is numpy.random: shapes are known, values are not.
func (r *reader) numpyRandom() *interp.Module {
	m := interp.Native("numpy.random", nil)
	drawn := func(kind byte, shape func(a *interp.Args) []interp.Value) interp.Value {
		return interp.Fn("random", func(in *interp.Interp, a *interp.Args) interp.Value {
			return r.numpyValue(r.array(r.numpySizes(shape(a)), kind, nil))
		})
	}
	sized := func(at int) func(a *interp.Args) []interp.Value {
		return func(a *interp.Args) []interp.Value {
			v, ok := a.Get("size", at)
			if !ok || v == nil {
				return nil
			}
			return []interp.Value{v}
		}
	}
	all := func(a *interp.Args) []interp.Value { return a.Pos }
	m.Attrs["rand"], m.Attrs["randn"] = drawn('f', all), drawn('f', all)
	m.Attrs["normal"], m.Attrs["uniform"], m.Attrs["randint"] = drawn('f', sized(2)), drawn('f', sized(2)), drawn('i', sized(2))
	for _, n := range []string{"random", "random_sample", "standard_normal"} {
		m.Attrs[n] = drawn('f', sized(0))
	}
	m.Attrs["permutation"] = interp.Fn("permutation", func(in *interp.Interp, a *interp.Args) interp.Value {
		if n, ok := interp.AsInt(a.Pos[0]); ok {
			return r.array([]int64{n}, 'i', nil)
		}
		return r.withArray(a, 0, func(x *ndarray) interp.Value { return r.array(x.shape, x.kind, nil) })
	})
	none := interp.Fn("seed", func(*interp.Interp, *interp.Args) interp.Value { return nil })
	m.Attrs["seed"], m.Attrs["shuffle"] = none, none
	self := interp.Fn("generator", func(*interp.Interp, *interp.Args) interp.Value { return m })
	m.Attrs["RandomState"], m.Attrs["default_rng"] = self, self
	m.Values = func(string) bool { return true }
	return m
}

// numpyMakers are the functions that make arrays of sizes or of several arrays.
func (r *reader) numpyMakers(m *interp.Module) {
	dtype := func(a *interp.Args, at int, otherwise byte) byte {
		if v, ok := a.Get("dtype", at); ok {
			return kindOf(v, otherwise)
		}
		return otherwise
	}
	set := func(name string, f func(a *interp.Args) interp.Value) {
		m.Attrs[name] = interp.Fn(name, func(_ *interp.Interp, a *interp.Args) interp.Value { return f(a) })
	}
	for name, v := range map[string]float64{"zeros": 0, "ones": 1, "empty": math.NaN()} {
		set(name, func(a *interp.Args) interp.Value {
			shape, _ := a.Get("shape", 0)
			return r.filledArray(r.numpySizes([]interp.Value{shape}), dtype(a, 1, 'f'), v)
		})
		set(name+"_like", func(a *interp.Args) interp.Value {
			return r.withArray(a, 0, func(x *ndarray) interp.Value { return r.filledArray(x.shape, dtype(a, 1, x.kind), v) })
		})
	}
	set("full", func(a *interp.Args) interp.Value {
		shape, _ := a.Get("shape", 0)
		fill, _ := a.Get("fill_value", 1)
		v, ok := interp.AsFloat(fill)
		kind := byte('f')
		if _, whole := interp.AsInt(fill); whole {
			kind = 'i'
		}
		if !ok {
			v = math.NaN()
		}
		return r.filledArray(r.numpySizes([]interp.Value{shape}), dtype(a, 2, kind), v)
	})
	for _, name := range []string{"array", "asarray", "ascontiguousarray", "asanyarray", "float32array"} {
		set(name, func(a *interp.Args) interp.Value {
			return r.withArray(a, 0, func(x *ndarray) interp.Value {
				kind := dtype(a, 1, x.kind)
				return x.each(kind, castTo(kind))
			})
		})
	}
	set("arange", func(a *interp.Args) interp.Value {
		t, ok := r.sequence(a).(*Tensor)
		if !ok {
			return r.in.Unknown("the range is not known")
		}
		x := r.asArray(t)
		kind := dtype(a, 3, x.kind)
		return x.each(kind, castTo(kind))
	})
	set("linspace", func(a *interp.Args) interp.Value {
		args := &interp.Args{Pos: a.Pos[:min(3, len(a.Pos))]}
		for i, n := range []string{"start", "stop", "num"} {
			if v, ok := a.Get(n, -1); ok && i >= len(args.Pos) {
				args.Kw = append(args.Kw, interp.KV{Name: []string{"start", "end", "steps"}[i], Value: v})
			}
		}
		if len(args.Pos)+len(args.Kw) == 2 {
			args.Kw = append(args.Kw, interp.KV{Name: "steps", Value: int64(50)})
		}
		return r.asArray(r.linspace(args))
	})
	set("eye", func(a *interp.Args) interp.Value { return r.identityArray(a, dtype(a, 3, 'f')) })
	set("identity", func(a *interp.Args) interp.Value {
		return r.identityArray(&interp.Args{Pos: a.Pos[:1]}, dtype(a, 1, 'f'))
	})
	r.numpyJoins(set)
	r.numpyPairs(set)
}

func (r *reader) filledArray(shape []int64, kind byte, v float64) *ndarray {
	var data []float64
	if n := count(shape); n >= 0 && n <= maxData && !math.IsNaN(v) {
		data = slices.Repeat([]float64{v}, int(n))
	}
	return r.array(shape, kind, data)
}

func (r *reader) identityArray(a *interp.Args, kind byte) interp.Value {
	b := (&interp.Args{Pos: a.Pos[:min(2, len(a.Pos))]}).Bind(r.in, "eye", "N", "M")
	n, m := interp.Or(b[0], int64(1)), interp.Or(b[1], nil)
	if m == nil {
		m = n
	}
	x := r.filledArray(r.numpySizes([]interp.Value{n, m}), kind, 0)
	for i := int64(0); x.data != nil && i < min(x.shape[0], x.shape[1]); i++ {
		x.data[i*x.shape[1]+i] = 1
	}
	return x
}

// numpyJoins are concatenate, stack and their kin.
func (r *reader) numpyJoins(set func(string, func(*interp.Args) interp.Value)) {
	join := func(a *interp.Args, axis int64, stack bool, least int) interp.Value {
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
	set("concatenate", func(a *interp.Args) interp.Value { return join(a, 0, false, 1) })
	set("stack", func(a *interp.Args) interp.Value { return join(a, 0, true, 0) })
	set("vstack", func(a *interp.Args) interp.Value { return join(&interp.Args{Pos: a.Pos[:1]}, 0, false, 2) })
	set("hstack", func(a *interp.Args) interp.Value { return join(&interp.Args{Pos: a.Pos[:1]}, -1, false, 1) })
	set("append", func(a *interp.Args) interp.Value {
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
	})
	set("meshgrid", func(a *interp.Args) interp.Value {
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
	})
}

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

// numpyPairs are functions of arrays that are not methods.
func (r *reader) numpyPairs(set func(string, func(*interp.Args) interp.Value)) {
	two := func(name string, f func(a, b float64) float64) {
		set(name, func(a *interp.Args) interp.Value {
			return r.withArray(a, 0, func(x *ndarray) interp.Value {
				return r.withArray(a, 1, func(y *ndarray) interp.Value { return r.numpyValue(r.zipArrays(x, y, wider(x.kind, y.kind), f)) })
			})
		})
	}
	two("maximum", math.Max)
	two("minimum", math.Min)
	two("arctan2", math.Atan2)
	two("logical_and", numpyBinary["&"])
	two("logical_or", numpyBinary["|"])
	shaped := func(name string, f func(x *ndarray, a *interp.Args) []int64) {
		set(name, func(a *interp.Args) interp.Value {
			return r.withArray(a, 0, func(x *ndarray) interp.Value { return r.numpyValue(r.array(f(x, a), x.kind, nil)) })
		})
	}
	for _, n := range []string{"tril", "triu", "flip", "roll", "nan_to_num", "fliplr", "flipud", "rot90"} {
		shaped(n, func(x *ndarray, _ *interp.Args) []int64 { return x.shape })
	}
	set("expand_dims", func(a *interp.Args) interp.Value {
		return r.withArray(a, 0, func(x *ndarray) interp.Value {
			axis, _ := a.Get("axis", 1)
			return r.array(slices.Insert(slices.Clone(x.shape), r.dim(axis, len(x.shape)+1), 1), x.kind, slices.Clone(x.data))
		})
	})
	shaped("outer", func(x *ndarray, a *interp.Args) []int64 {
		return []int64{count(x.shape), count(r.asArray(a.Pos[1]).shape)}
	})
	shaped("diag", func(x *ndarray, a *interp.Args) []int64 {
		if len(x.shape) == 2 {
			return []int64{min(x.shape[0], x.shape[1])}
		}
		return []int64{x.shape[0], x.shape[0]}
	})
	shaped("tile", func(x *ndarray, a *interp.Args) []int64 {
		reps := r.numpySizes(a.Pos[1:])
		shape := append(slices.Repeat([]int64{1}, max(len(reps)-len(x.shape), 0)), x.shape...)
		for i, n := range reps {
			shape[len(shape)-len(reps)+i] *= n
		}
		return shape
	})
	shaped("broadcast_to", func(_ *ndarray, a *interp.Args) []int64 { return r.numpySizes(a.Pos[1:]) })
	shaped("kron", func(x *ndarray, a *interp.Args) []int64 {
		y, out := r.asArray(a.Pos[1]), []int64{}
		if len(y.shape) != len(x.shape) {
			r.in.Fault("kron of this kind is not followed")
		}
		for i := range x.shape {
			out = append(out, x.shape[i]*y.shape[i])
		}
		return out
	})
	set("where", func(a *interp.Args) interp.Value {
		if len(a.Pos) != 3 {
			r.in.Fault("numpy.where with one argument is not followed")
		}
		c, x, y := r.asArray(a.Pos[0]), r.asArray(a.Pos[1]), r.asArray(a.Pos[2])
		if c == nil || x == nil || y == nil {
			return r.in.Unknown("the values of an array are not known")
		}
		return r.array(r.broadcastArrays(r.broadcastArrays(c.shape, x.shape), y.shape), wider(x.kind, y.kind), nil)
	})
	set("unique", func(a *interp.Args) interp.Value {
		return r.withArray(a, 0, func(x *ndarray) interp.Value {
			if x.data == nil || len(a.Pos)+len(a.Kw) > 1 {
				r.in.Fault("numpy.unique of values that are not known is not followed")
			}
			data := slices.Clone(x.data)
			sort.Float64s(data)
			data = slices.Compact(data)
			return r.array([]int64{int64(len(data))}, x.kind, data)
		})
	})
}
