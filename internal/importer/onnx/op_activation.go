package onnx

import (
	"fmt"
	"math"

	"github.com/modelverifier/verifier/internal/graph"
)

// Names of ours, for what several operators were fused to.
const (
	fusedSilu      = "SiLU (fused)"
	fusedMish      = "Mish (fused)"
	fusedHardSwish = "HardSwish (fused)"
)

// withParam emits a type that keeps the shape, with one float parameter taken from an attribute.
func withParam(typ, param, attr string, otherwise float64) operator {
	return operator{shape: sameShape, emit: func(e *emitter, n *node) error {
		return e.same(n, typ, number(param, n.float(attr, otherwise)))
	}}
}

var (
	_ = register("Elu", withParam("elu", "alpha", "alpha", 1))
	_ = register("Celu", withParam("celu", "alpha", "alpha", 1))
	_ = register("LeakyRelu", withParam("leakyRelu", "negativeSlope", "alpha", 0.01))
	_ = register("ThresholdedRelu", operator{shape: sameShape, emit: func(e *emitter, n *node) error {
		return e.same(n, "threshold", number("threshold", n.float("alpha", 1)), number("value", 0))
	}})
	_ = register("HardSigmoid", operator{shape: sameShape, emit: emitHardSigmoid})
	_ = register("Gelu", operator{shape: sameShape, emit: emitGelu})
	_ = register("com.microsoft.Gelu", operator{shape: sameShape, emit: emitGelu})
	_ = register("com.microsoft.FastGelu", operator{shape: sameShape, emit: func(e *emitter, n *node) error {
		if n.input(1) != nil {
			return refused{"it adds a bias"}
		}
		return e.same(n, "gelu", word("approximate", "tanh"))
	}})
	_ = register("PRelu", operator{shape: sameShape, emit: emitPrelu})
	_ = register("Clip", operator{shape: sameShape, fold: foldClip, emit: emitClip})
	_ = register("Softmax", operator{shape: sameShape, emit: emitSoftmax("softmax")})
	_ = register("LogSoftmax", operator{shape: sameShape, emit: emitSoftmax("logSoftmax")})
	_ = register("Dropout", operator{shape: dropoutShape, emit: emitDropout})
	_ = register("Identity", operator{shape: sameShape, fold: foldView, emit: emitPass})
	_ = register("Not", operator{shape: sameShape, fold: func(_ *reading, n *node) (*numbers, error) {
		out := &numbers{ints: make([]int64, n.in[0].num.len())}
		for i := range out.ints {
			out.ints[i] = truth(n.in[0].num.float(i) == 0)
		}
		return out, nil
	}})
	_ = register("Cast", operator{shape: castShape, fold: foldCast, emit: emitCast})
	_ = register("CastLike", operator{shape: castShape, fold: foldCast, emit: emitCast})
)

func foldView(_ *reading, n *node) (*numbers, error) { return n.in[0].num, nil }

func emitHardSigmoid(e *emitter, n *node) error {
	alpha, beta := n.float("alpha", 0.2), n.float("beta", 0.5)
	if math.Abs(alpha-1.0/6) > 1e-6 || beta != 0.5 {
		return refused{"its slope is not that of torch.nn.Hardsigmoid"}
	}
	return e.same(n, "hardSigmoid")
}

func emitGelu(e *emitter, n *node) error {
	return e.same(n, "gelu", word("approximate", n.str("approximate", "none")))
}

func emitPrelu(e *emitter, n *node) error {
	slope := n.input(1)
	if slope == nil || !slope.konst {
		return refused{"its slope is computed when the model runs"}
	}
	return e.layer(n, "prelu", []graph.Param{whole("numParameters", slope.size())}, e.weights(n, slope))
}

// limits returns the bounds of a Clip, which are attributes before version 11.
func (im *reading) limits(n *node) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if a := n.attr("min"); a != nil {
		lo = a.f
	}
	if a := n.attr("max"); a != nil {
		hi = a.f
	}
	ok = true
	if v := n.input(1); v != nil {
		lo, ok = im.scalar(v)
	}
	if v := n.input(2); v != nil && ok {
		hi, ok = im.scalar(v)
	}
	return lo, hi, ok
}

func foldClip(im *reading, n *node) (*numbers, error) {
	lo, hi, ok := im.limits(n)
	if !ok {
		return nil, nil
	}
	return foldUnary(func(v float64) float64 { return min(max(v, lo), hi) })(im, n)
}

func emitClip(e *emitter, n *node) error {
	lo, hi, ok := e.im.limits(n)
	switch {
	case !ok:
		return refused{"its bounds are computed when the model runs"}
	case lo == 0 && hi == 6:
		return e.same(n, "relu6")
	case lo == 0 && hi > math.MaxFloat32/2:
		return e.same(n, "relu")
	}
	var params []graph.Param
	if lo > -math.MaxFloat32/2 {
		params = append(params, number("min", lo))
	}
	if hi < math.MaxFloat32/2 {
		params = append(params, number("max", hi))
	}
	if params == nil {
		return emitPass(e, n)
	}
	return e.same(n, "clamp", params...)
}

// emitSoftmax: before version 13 all axes from the given one on are normalised together.
func emitSoftmax(typ string) func(*emitter, *node) error {
	return func(e *emitter, n *node) error {
		in := n.in[0]
		otherwise := int64(-1)
		if n.opset < 13 {
			otherwise = 1
		}
		axis, err := n.axis(n.int("axis", otherwise), in.rank())
		if err != nil {
			return err
		}
		if n.opset < 13 {
			for _, size := range in.shape[axis+1:] {
				if size != 1 {
					return refused{"before operator set 13 it normalises several axes together"}
				}
			}
		}
		return e.alongAxis(n, axis, func(dim int64) (string, []graph.Param) { return typ, []graph.Param{whole("dim", dim)} })
	}
}

func dropoutShape(_ *reading, n *node) error {
	err := sameShape(nil, n)
	if err == nil {
		n.set(1, elemBool, n.in[0].shape)
	}
	return err
}

func emitDropout(e *emitter, n *node) error {
	p := n.float("ratio", 0.5)
	if v := n.input(1); v != nil {
		var ok bool
		if p, ok = e.im.scalar(v); !ok {
			return refused{"its ratio is computed when the model runs"}
		}
	}
	return e.same(n, "dropout", number("p", shorten(p)))
}

func castShape(_ *reading, n *node) error {
	if err := n.need(1); err != nil {
		return err
	}
	named := n.int("to", int64(n.in[0].elem))
	if named < 0 || named > math.MaxInt32 {
		return refused{fmt.Sprintf("it casts to the type %d, which there is not", named)}
	}
	to := elemType(named)
	if v := n.input(1); v != nil {
		to = v.elem
	}
	n.set(0, to, n.in[0].shape)
	return nil
}

func foldCast(_ *reading, n *node) (*numbers, error) {
	in, to := n.in[0].num, n.out[0].elem
	switch {
	case to.isFloat():
		return in.asFloats(), nil
	case to == elemBool:
		out := &numbers{ints: make([]int64, in.len())}
		for i := range out.ints {
			out.ints[i] = truth(in.float(i) != 0)
		}
		return out, nil
	}
	return in.asInts(), nil
}

// emitCast: the precision is not part of a graph. Only a step from integers to numbers with a fraction changes what a
// component may read.
func emitCast(e *emitter, n *node) error {
	if !e.at[n.in[0]].isInt || !n.out[0].elem.isFloat() {
		return emitPass(e, n)
	}
	return e.opaque(n, "")
}

func emitPow(e *emitter, n *node) error {
	exponent, ok := e.im.scalar(n.input(1))
	if !ok || n.in[0].konst {
		return refused{"its exponent is not one constant"}
	}
	return e.same(n, "pow", number("exponent", shorten(exponent)))
}
