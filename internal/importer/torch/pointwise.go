package torch

import "github.com/modelverifier/verifier/internal/importer/torch/interp"

// Pointwise operations of one tensor, and of two or of a tensor and a number. F.relu and the like, which take the arguments of a layer, are
// in functionals.
func init() {
	register(map[string]operation{
		"exp": simple("exp"), "sqrt": simple("sqrt"), "log": simple("log"), "abs": realOfComplex("abs", simple("abs")), "neg": simple("neg"),
		"sigmoid": simple("sigmoid"), "tanh": simple("tanh"),
		"softsign": simple("softsign"), "logsigmoid": simple("logSigmoid"), "tanhshrink": simple("tanhShrink"), "negative": simple("neg"),
		"absolute": simple("abs"), "angle": realOfComplex("angle", shaped("angle")),
	})
	registerEach(shaped, "sin", "cos", "tan", "rsqrt", "floor", "ceil", "round", "sign", "erf", "log2", "log10", "log1p", "expm1", "reciprocal",
		"square", "frac", "atan", "asin", "acos", "sinh", "cosh", "isnan", "isinf", "logical_not", "trunc", "bernoulli", "digamma", "lgamma",
		"nan_to_num")
	registerEach(same, "erfinv", "erfc", "logit", "exp2", "arccos", "arcsin", "arctan", "arccosh", "arcsinh", "arctanh", "acosh", "asinh", "atanh",
		"sinc", "deg2rad", "rad2deg", "i0", "sgn", "fix", "expit", "ndtri", "ndtr", "log_ndtr",
		"positive", "bitwise_not", "softplus_", "mvlgamma", "polygamma", "entr", "i0e", "i1", "i1e", "gammaln", "copysign_")
	registerEach(pairwise, "atan2", "arctan2", "hypot", "xlogy", "logaddexp", "logaddexp2", "copysign", "fmax", "fmin", "float_power", "heaviside",
		"nextafter")
	registerEach(pairwiseInt, "fmod", "remainder", "floor_divide", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift",
		"bitwise_right_shift", "gcd", "lcm")
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

// same is an operation that keeps the shape.
func same(name string) operation { return keepsShape(name, false) }

// sameInt is an operation that keeps the shape and gives integers.
func sameInt(name string) operation { return keepsShape(name, true) }

// keepsShape is an operation that the catalogue does not have, on a tensor and perhaps others, with the shape of the first.
func keepsShape(name string, isInt bool) operation {
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
func pairwise(name string) operation { return ofPair(name, false) }

// pairwiseInt is one that gives integers for integers.
func pairwiseInt(name string) operation { return ofPair(name, true) }

// ofPair is a pointwise operation that the catalogue does not have, on a tensor and another operand.
func ofPair(name string, keepsInt bool) operation {
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
