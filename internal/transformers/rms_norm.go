package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// Scaling is where an RMS norm leaves 32 bits.
type Scaling uint8

// The ways in which families write it.
const (
	CastBeforeScale Scaling = iota // LlamaRMSNorm: weight * hidden_states.to(input_dtype)
	CastBehindScale                // GemmaRMSNorm, Olmo2RMSNorm: (weight * hidden_states).to(input_dtype)
	ScaleOfInput                   // T5LayerNorm: the mean square in 32 bits, the product of what arrives
	NoCast                         // ImageGPTLayerNorm: all of it in the width that arrives
)

// RMSNorm is how a family writes an RMS norm: as single operations.
type RMSNorm struct{ Scaling Scaling }

var (
	_ = usual(RMSNorm{}, "rmsNorm", "qkNorm")

	_ = register("LlamaRMSNorm", "an RMS norm of an fp32 copy", RMSNorm{CastBeforeScale}, "rmsNorm", "qkNorm")
	_ = register("Gemma2RMSNorm", "an RMS norm of an fp32 copy, cast back behind its scale", RMSNorm{CastBehindScale}, "rmsNorm", "qkNorm")
	_ = register("T5LayerNorm", "an RMS norm that scales in 16 bits", RMSNorm{ScaleOfInput}, "rmsNorm", "qkNorm")
	_ = register("ImageGPTLayerNorm", "an RMS norm without an fp32 copy", RMSNorm{NoCast}, "rmsNorm")
)

// Lower is the forward method of the class.
func (m RMSNorm) Lower(l *catalog.Lowering) op.Value {
	if l.Type.ID == "qkNorm" {
		return m.ofHeads(l)
	}
	return m.Of(l.P, l.X[0], l.W("weight"), l.Size(catalog.Shape(l.Ints("normalizedShape"))))
}

// Of normalises groups of so many elements, and scales them with a weight where there is one.
func (m RMSNorm) Of(p *op.Program, x, weight op.Value, group int64) op.Value {
	switch m.Scaling {
	case ScaleOfInput:
		return m.ofInput(p, x, weight, group)
	case NoCast:
		square := op.Mean(p, op.Pow(p, x), perGroup(p.Shape(x), group)...)
		return scaled(p, op.Div(p, x, op.Sqrt(p, op.Scale(p, square))), weight)
	}
	width, wide := p.Width(x), op.To(p, x, 4)
	normed := op.Mul(p, wide, rootOf(p, wide, group))
	var y op.Value
	if m.Scaling == CastBehindScale {
		wider := weight
		if weight != op.None {
			wider = op.To(p, weight, 4)
		}
		y = op.To(p, scaled(p, normed, wider), width)
	} else {
		y = scaled(p, op.To(p, normed, width), weight)
	}
	op.Alive(p, normed)
	return y
}

// ofInput is T5LayerNorm, which casts to the width of its weight where that is 16 bits.
func (m RMSNorm) ofInput(p *op.Program, x, weight op.Value, group int64) op.Value {
	normed := op.Mul(p, x, rootOf(p, op.To(p, x, 4), group))
	if weight != op.None && p.Width(weight) == 2 {
		normed = op.To(p, normed, 2)
	}
	y := scaled(p, normed, weight)
	op.Alive(p, normed)
	return y
}

// rootOf is torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps).
func rootOf(p *op.Program, x op.Value, group int64) op.Value {
	return op.WideOfOutput(p, op.Scale(p, op.Mean(p, op.Pow(p, x), perGroup(p.Shape(x), group)...)))
}

// scaled is a product with a weight, where there is one.
func scaled(p *op.Program, x, weight op.Value) op.Value {
	if weight == op.None {
		return x
	}
	return op.Mul(p, weight, x)
}

// perGroup is a shape with one entry for each group of so many elements of the last axes.
func perGroup(shape []int64, group int64) []int64 {
	out := append([]int64{}, shape...)
	for k, n := len(out)-1, int64(1); k >= 0 && n < group; k-- {
		n, out[k] = n*out[k], 1
	}
	return out
}

// ofHeads is such a norm of the heads of queries or keys, head by head.
func (m RMSNorm) ofHeads(l *catalog.Lowering) op.Value {
	if l.Str("kind") == "layer" {
		return Same{}.Lower(l)
	}
	in, d := l.In[0], l.Int("headDim")
	heads := op.Reshape(l.P, l.X[0], append(append([]int64{}, in[:len(in)-1]...), in.At(-1)/d, d)...)
	return op.View(l.P, m.Of(l.P, heads, l.W("norm.weight"), d), in...)
}
