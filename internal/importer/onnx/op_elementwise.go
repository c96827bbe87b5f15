package onnx

import (
	"math"
	"slices"
)

// sameShape is the shape of what changes every element by itself.
func sameShape(_ *reading, n *node) error {
	if err := n.need(1); err != nil {
		return err
	}
	n.set(0, n.in[0].elem, n.in[0].shape)
	return nil
}

// broadcast is the shape of what combines elements of several inputs.
func broadcast(n *node, shapes ...[]int64) ([]int64, error) {
	var out []int64
	for _, s := range shapes {
		if len(s) > len(out) {
			out = append(slices.Repeat([]int64{1}, len(s)-len(out)), out...)
		}
		for i := range s {
			o := &out[len(out)-len(s)+i]
			switch {
			case *o == s[i] || s[i] == 1:
			case *o == 1:
				*o = s[i]
			default:
				return nil, n.errorf("shapes %v cannot be combined", shapes)
			}
		}
	}
	return out, nil
}

func combined(elem elemType) func(*reading, *node) error {
	return func(_ *reading, n *node) error {
		if err := n.need(1); err != nil {
			return err
		}
		var shapes [][]int64
		for _, v := range n.in {
			if v != nil {
				shapes = append(shapes, v.shape)
			}
		}
		out, err := broadcast(n, shapes...)
		e := elem
		if e == elemUnknown {
			e = n.in[0].elem
		}
		n.set(0, e, out)
		return err
	}
}

// foldUnary computes an element-wise function.
func foldUnary(f func(float64) float64) func(*reading, *node) (*numbers, error) {
	return func(_ *reading, n *node) (*numbers, error) {
		in := n.in[0].num
		if in.ints != nil {
			out := &numbers{ints: make([]int64, len(in.ints))}
			for i, v := range in.ints {
				out.ints[i] = saturate(f(float64(v)))
			}
			return out, nil
		}
		out := &numbers{floats: make([]float64, len(in.floats))}
		for i, v := range in.floats {
			out.floats[i] = f(v)
		}
		return out, nil
	}
}

// foldBinary computes an element-wise function of two inputs. Integers stay integers; an operation that has no result is
// not computed.
func foldBinary(ints func(a, b int64) (int64, bool), floats func(a, b float64) float64, toBool bool) func(*reading, *node) (*numbers, error) {
	return func(_ *reading, n *node) (*numbers, error) {
		if len(n.in) != 2 || n.in[0] == nil || n.in[1] == nil {
			return nil, nil
		}
		a, b := n.in[0].num.stretch(n.in[0].shape, n.out[0].shape), n.in[1].num.stretch(n.in[1].shape, n.out[0].shape)
		out := &numbers{}
		if a.ints != nil && b.ints != nil && ints != nil {
			out.ints = make([]int64, len(a.ints))
			for i := range a.ints {
				v, ok := ints(a.ints[i], b.ints[i])
				if !ok {
					return nil, nil
				}
				out.ints[i] = v
			}
			return out, nil
		}
		if floats == nil {
			return nil, nil
		}
		x, y := a.asFloats().floats, b.asFloats().floats
		out.floats = make([]float64, len(x))
		for i := range x {
			out.floats[i] = floats(x[i], y[i])
		}
		if toBool {
			out = out.asInts()
		}
		return out, nil
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func compare(ints func(a, b int64) bool, floats func(a, b float64) bool) operator {
	return operator{shape: combined(elemBool), fold: foldBinary(
		func(a, b int64) (int64, bool) { return truth(ints(a, b)), true },
		func(a, b float64) float64 { return float64(truth(floats(a, b))) }, true)}
}

// arithmetic is an operator of two inputs that a merge of the catalogue stands for.
func arithmetic(typ string, ints func(a, b int64) (int64, bool), floats func(a, b float64) float64) operator {
	return operator{shape: combined(elemUnknown), fold: foldBinary(ints, floats, false), emit: emitMerge(typ), constant: true}
}

var (
	_ = register("Add", arithmetic("add", func(a, b int64) (int64, bool) { return a + b, true }, func(a, b float64) float64 { return a + b }))
	_ = register("Sub", arithmetic("subtract", func(a, b int64) (int64, bool) { return a - b, true }, func(a, b float64) float64 { return a - b }))
	_ = register("Mul", arithmetic("multiply", func(a, b int64) (int64, bool) { return a * b, true }, func(a, b float64) float64 { return a * b }))
	_ = register("Div", arithmetic("divide", divideInts, func(a, b float64) float64 { return a / b }))
	_ = register("Max", arithmetic("maximum", func(a, b int64) (int64, bool) { return max(a, b), true }, math.Max))
	_ = register("Min", arithmetic("minimum", func(a, b int64) (int64, bool) { return min(a, b), true }, math.Min))
	_ = register("Sum", operator{shape: combined(elemUnknown), emit: emitMerge("add"), constant: true})
	_ = register("Mean", operator{shape: combined(elemUnknown)})
	_ = register("Mod", operator{shape: combined(elemUnknown), fold: foldBinary(floorMod, nil, false)})
	_ = register("Pow", operator{shape: combined(elemUnknown), fold: foldBinary(nil, math.Pow, false), emit: emitPow})
	_ = register("BitShift", operator{shape: combined(elemUnknown)})
	_ = register("BitwiseAnd", operator{shape: combined(elemUnknown), fold: foldBinary(func(a, b int64) (int64, bool) { return a & b, true }, nil, false)})
	_ = register("BitwiseOr", operator{shape: combined(elemUnknown), fold: foldBinary(func(a, b int64) (int64, bool) { return a | b, true }, nil, false)})
	_ = register("And", operator{shape: combined(elemBool), fold: foldBinary(func(a, b int64) (int64, bool) { return truth(a != 0 && b != 0), true }, nil, true)})
	_ = register("Or", operator{shape: combined(elemBool), fold: foldBinary(func(a, b int64) (int64, bool) { return truth(a != 0 || b != 0), true }, nil, true)})
	_ = register("Xor", operator{shape: combined(elemBool), fold: foldBinary(func(a, b int64) (int64, bool) { return truth(a != 0 != (b != 0)), true }, nil, true)})

	_ = register("Equal", compare(func(a, b int64) bool { return a == b }, func(a, b float64) bool { return a == b }))
	_ = register("Less", compare(func(a, b int64) bool { return a < b }, func(a, b float64) bool { return a < b }))
	_ = register("LessOrEqual", compare(func(a, b int64) bool { return a <= b }, func(a, b float64) bool { return a <= b }))
	_ = register("Greater", compare(func(a, b int64) bool { return a > b }, func(a, b float64) bool { return a > b }))
	_ = register("GreaterOrEqual", compare(func(a, b int64) bool { return a >= b }, func(a, b float64) bool { return a >= b }))

	_ = register("Where", operator{shape: whereShape, fold: foldWhere})
)

func divideInts(a, b int64) (int64, bool) {
	if b == 0 || a == math.MinInt64 && b == -1 {
		return 0, false
	}
	return a / b, true
}

// floorMod has the sign of the divisor, as Python's.
func floorMod(a, b int64) (int64, bool) {
	if b == 0 || b == -1 {
		return 0, b == -1
	}
	m := a % b
	if m != 0 && (m < 0) != (b < 0) {
		m += b
	}
	return m, true
}

func whereShape(im *reading, n *node) error {
	if err := n.need(3); err != nil {
		return err
	}
	return combined(n.in[1].elem)(im, n)
}

func foldWhere(_ *reading, n *node) (*numbers, error) {
	to := n.out[0].shape
	cond, a, b := n.in[0].num.stretch(n.in[0].shape, to), n.in[1].num.stretch(n.in[1].shape, to), n.in[2].num.stretch(n.in[2].shape, to)
	if cond.ints == nil || (a.floats == nil) != (b.floats == nil) {
		return nil, nil
	}
	out := &numbers{}
	for i, c := range cond.ints {
		from := b
		if c != 0 {
			from = a
		}
		if from.floats != nil {
			out.floats = append(out.floats, from.floats[i])
		} else {
			out.ints = append(out.ints, from.ints[i])
		}
	}
	return out, nil
}

// elementwise are operators that change every element by itself and have no parameters, with the type that stands for them.
var elementwise = map[string]struct {
	typ string
	f   func(float64) float64
}{
	"Relu": {"relu", func(v float64) float64 { return max(v, 0) }}, "Sigmoid": {"sigmoid", nil}, "Tanh": {"tanh", math.Tanh}, "Selu": {"selu", nil},
	"Softplus": {"softplus", nil}, "Softsign": {"softsign", nil}, "HardSwish": {"hardSwish", nil}, "Mish": {"mish", nil},
	"Abs": {"abs", math.Abs}, "Neg": {"neg", func(v float64) float64 { return -v }}, "Exp": {"exp", math.Exp}, "Log": {"log", math.Log}, "Sqrt": {"sqrt", math.Sqrt},
	"com.microsoft.QuickGelu": {"quickGelu", nil}, fusedSilu: {"silu", nil}, fusedMish: {"mish", nil}, fusedHardSwish: {"hardSwish", nil},
	"Erf": {"", math.Erf}, "Reciprocal": {"", func(v float64) float64 { return 1 / v }}, "Floor": {"", math.Floor}, "Ceil": {"", math.Ceil}, "Round": {"", math.RoundToEven},
	"Sin": {"", math.Sin}, "Cos": {"", math.Cos}, "Tan": {"", math.Tan}, "Asin": {"", math.Asin}, "Acos": {"", math.Acos}, "Atan": {"", math.Atan},
	"Sinh": {"", math.Sinh}, "Cosh": {"", math.Cosh}, "Asinh": {"", math.Asinh}, "Acosh": {"", math.Acosh}, "Atanh": {"", math.Atanh},
	"Sign": {"", nil}, "Shrink": {"", nil}, "Hardmax": {"", nil}, "LpNormalization": {"", nil}, "MeanVarianceNormalization": {"", nil},
	"RandomNormalLike": {"", nil}, "RandomUniformLike": {"", nil}, "Bernoulli": {"", nil}, "EyeLike": {"", nil}, "ScatterND": {"", nil}, "ScatterElements": {"", nil},
	"Scatter": {"", nil}, "BitwiseNot": {"", nil}, "ReverseSequence": {"", nil}, "TensorScatter": {"", nil},
}

var _ = func() bool {
	for name, e := range elementwise {
		op := operator{shape: sameShape}
		if e.f != nil {
			op.fold = foldUnary(e.f)
		}
		if e.typ != "" {
			op.emit = emitSame(e.typ)
		}
		register(name, op)
	}
	for _, name := range []string{"IsNaN", "IsInf"} {
		register(name, operator{shape: func(_ *reading, n *node) error {
			err := sameShape(nil, n)
			n.set(0, elemBool, n.in[0].shape)
			return err
		}})
	}
	return true
}()
