package torch

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Arithmetic of tensors under the names that Python's operators have in torch, and bounds.
func init() {
	register(map[string]operation{
		"add": arithmeticOp("+"), "sub": arithmeticOp("-"), "mul": arithmeticOp("*"), "div": arithmeticOp("/"), "true_divide": arithmeticOp("/"),
		"multiply": arithmeticOp("*"), "subtract": arithmeticOp("-"), "divide": arithmeticOp("/"), "rsub": arithmeticOp("-"),
		"pow":     arithmeticOp("**"),
		"maximum": mergeOp("maximum"), "minimum": mergeOp("minimum"),
		"clamp": clampOp, "clip": clampOp,
		"clamp_max": same("clamp_max"),
		"clamp_min": func(r *reader, t *Tensor, a *interp.Args) interp.Value { return r.custom("clamp", t.shape, 0, t) },
		"lerp": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			return r.elementwise("lerp", t, r.tensor("lerp", a.Pos[0]))
		},
		"addcmul": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			return r.elementwise("addcmul", t, r.tensor("addcmul", a.Pos[0]), r.tensor("addcmul", a.Pos[1]))
		},
		"addcdiv": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			return r.elementwise("addcdiv", t, r.tensor("addcdiv", a.Pos[0]), r.tensor("addcdiv", a.Pos[1]))
		},
	})
}

// arithmeticOp is an operator of Python by its name in torch.
func arithmeticOp(op string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		v, ok := a.Get("other", 0)
		if !ok {
			v, ok = a.Get("exponent", 0)
		}
		if !ok {
			r.in.Raise("TypeError", "an operand is missing")
		}
		return r.in.Binary(op, t, v)
	}
}

// mergeOp is arithmetic of two tensors that the catalogue has.
func mergeOp(typ string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		return r.merge(typ, t, r.tensor(typ, a.Pos[0]))
	}
}

// clampOp is torch.clamp.
func clampOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "clamp", "min", "max")
	var params []graph.Param
	for i, n := range []string{"min", "max"} {
		if v := interp.Or(b[i], nil); v != nil {
			if _, isTensor := v.(*Tensor); isTensor {
				return r.custom("clamp", t.shape, 0, t)
			}
			if u, ok := v.(*interp.Unknown); ok {
				r.in.Fault("a bound is not known: %s", u.Reason())
			}
			params = append(params, graph.Param{Name: n, Value: r.value(n, v)})
		}
	}
	return r.apply("clamp", "clamp", params, t)
}
