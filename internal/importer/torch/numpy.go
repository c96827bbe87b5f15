package torch

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

func init() { beside = append(beside, (*reader).numpy) }

// numpy is what models use of numpy.
func (r *reader) numpy() *interp.Module {
	r.ndarrayClass = interp.NewClass("ndarray")
	m := interp.Native("numpy", map[string]interp.Value{"ndarray": r.ndarrayClass, "pi": math.Pi, "e": math.E, "inf": math.Inf(1), "Inf": math.Inf(1), "nan": math.NaN(),
		"newaxis": nil, "random": r.numpyRandom(),
		"ogrid": &numpyGrid{r, true}, "mgrid": &numpyGrid{r, false}})
	for name, f := range numpyMethods {
		m.Attrs[name] = interp.Fn(name, func(_ *interp.Interp, a *interp.Args) interp.Value {
			return r.withArray(a, 0, func(x *ndarray) interp.Value { return f(r, x, &interp.Args{Pos: a.Pos[1:], Kw: a.Kw}) })
		})
	}
	r.numpyUfuncs(m)
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
