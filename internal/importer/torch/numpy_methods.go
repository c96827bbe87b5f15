package torch

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

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
	for name, f := range numpyReductions {
		numpyMethods[name] = numpyReduction(name, f)
	}
	numpyMethods["amax"], numpyMethods["amin"], numpyMethods["average"] = numpyMethods["max"], numpyMethods["min"], numpyMethods["mean"]
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

// listOf is ndarray.tolist.
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
