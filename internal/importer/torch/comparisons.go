package torch

import "github.com/modelverifier/verifier/internal/importer/torch/interp"

// Comparisons, logic and torch.where: what gives truths, or chooses by them.
func init() {
	for name, sign := range map[string]string{"eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=", "less": "<", "greater": ">",
		"less_equal": "<=", "greater_equal": ">=", "not_equal": "!="} {
		register(map[string]operation{name: arithmeticOp(sign)})
	}
	for _, n := range []string{"logical_and", "logical_or", "logical_xor", "isclose"} {
		register(map[string]operation{n: masks(pairwise(n))})
	}
	for _, n := range []string{"isfinite", "isposinf", "isneginf", "isreal"} {
		register(map[string]operation{n: masks(same(n))})
	}
	for _, n := range []string{"all", "any"} {
		register(map[string]operation{n: masks(reduceBy(n))})
	}
	register(map[string]operation{
		"equal":      unknownValue("whether tensors are equal is not known"),
		"allclose":   unknownValue("whether tensors are close is not known"),
		"is_nonzero": unknownValue("the value of a tensor is not known"),
		"where":      whereOp,
	})
}

// unknownValue is a question about the values of a tensor, with the reason why its answer is not known.
func unknownValue(why string) operation {
	return func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return r.in.Unknown("%s", why) }
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

// whereOp is x.where(condition, other).
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
