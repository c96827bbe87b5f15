package torch

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

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

// numpyUfuncs are the functions of each element, and the operators of Python by their names.
func (r *reader) numpyUfuncs(m *interp.Module) {
	for name, f := range numpyScalars {
		m.Attrs[name] = r.numpyUfunc(name, f)
	}
	for name, op := range map[string]string{"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "floor_divide": "//", "mod": "%",
		"power": "**", "matmul": "@", "equal": "==", "greater": ">", "less": "<"} {
		m.Attrs[name] = interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value { return in.Binary(op, a.Pos[0], a.Pos[1]) })
	}
}

// numpyUfunc is one function of each element; a few of them keep the kind of the numbers.
func (r *reader) numpyUfunc(name string, f func(float64) float64) interp.Value {
	return interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value {
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

// numpyPairs are the functions of each element of two arrays.
func (r *reader) numpyPairs(set setter) {
	for name, f := range map[string]func(a, b float64) float64{"maximum": math.Max, "minimum": math.Min, "arctan2": math.Atan2,
		"logical_and": numpyBinary["&"], "logical_or": numpyBinary["|"]} {
		set(name, func(a *interp.Args) interp.Value {
			return r.withArray(a, 0, func(x *ndarray) interp.Value {
				return r.withArray(a, 1, func(y *ndarray) interp.Value { return r.numpyValue(r.zipArrays(x, y, wider(x.kind, y.kind), f)) })
			})
		})
	}
}
