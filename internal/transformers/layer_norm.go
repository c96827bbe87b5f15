package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// LayerNorm is how a family writes a layer norm.
type LayerNorm struct {
	Steps  bool // as single operations
	Wide   bool // of a 32-bit copy, and cast back at the end
	Plain  bool // single operations in the width that arrives
	Recast bool // of what autocast's products would be given (NemotronLayerNorm1P calls _cast_if_autocast_enabled)
}

var (
	_ = usual(LayerNorm{}, "layerNorm")

	_ = register("NemotronLayerNorm1P", "an input cast to the width of products", LayerNorm{Recast: true}, "layerNorm")
	_ = register("DebertaLayerNorm", "written as single operations in fp32", LayerNorm{Steps: true}, "layerNorm")
	_ = register("IntLayerNorm", "written as single operations", LayerNorm{Steps: true, Plain: true}, "layerNorm")
	_ = register("CohereLayerNorm", "written as single operations of an fp32 copy", LayerNorm{Steps: true, Wide: true}, "layerNorm")
	_ = register("OlmoLayerNorm", "an fp32 copy of the input", LayerNorm{Wide: true}, "layerNorm")
)

// Lower is the forward method of the class.
func (m LayerNorm) Lower(l *catalog.Lowering) op.Value {
	p, x := l.P, l.X[0]
	group := l.Size(catalog.Shape(l.Ints("normalizedShape")))
	affine := l.Affine("")
	switch {
	case m.Steps && m.Plain:
		return shifted(p, m.plain(p, x, group), affine)
	case m.Steps:
		return m.steps(p, x, group, affine)
	case m.Wide: // OlmoLayerNorm: F.layer_norm(x.to(float32), …, None, None).to(orig_dtype)
		return op.To(p, op.LayerNorm(p, op.To(p, x, 4), group, affine...), p.Width(x))
	case m.Recast:
		return m.recast(p, x, group, affine)
	}
	return Same{}.Lower(l)
}

// steps is CohereLayerNorm, which is cast back behind its scale, or DebertaLayerNorm, which is ahead of it: the difference from the mean
// for the variance, and once more for the quotient.
func (m LayerNorm) steps(p *op.Program, x op.Value, group int64, affine []op.Value) op.Value {
	width, wide := p.Width(x), op.To(p, x, 4)
	mean := op.Mean(p, wide, perGroup(p.Shape(x), group)...)
	variance := op.Mean(p, op.Pow(p, op.Sub(p, wide, mean)), perGroup(p.Shape(x), group)...)
	if m.Wide { // (x - mean) * torch.rsqrt(variance + eps)
		normed := op.Mul(p, op.Sub(p, wide, mean), op.WideOfOutput(p, op.Scale(p, variance)))
		for k, v := range affine {
			affine[k] = op.To(p, v, 4)
		}
		return op.To(p, shifted(p, normed, affine), width)
	}
	normed := op.Div(p, op.Sub(p, wide, mean), op.Sqrt(p, op.Scale(p, variance)))
	return shifted(p, op.To(p, normed, width), affine)
}

// plain is the same of one difference, in the width that arrives.
func (m LayerNorm) plain(p *op.Program, x op.Value, group int64) op.Value {
	y := op.Sub(p, x, op.Mean(p, x, perGroup(p.Shape(x), group)...))
	variance := op.Mean(p, op.Pow(p, y), perGroup(p.Shape(x), group)...)
	return op.Div(p, y, op.Sqrt(p, op.Scale(p, variance)))
}

// recast is F.layer_norm with weight + 1, in the width of autocast's products and with autocast turned off.
func (m LayerNorm) recast(p *op.Program, x op.Value, group int64, affine []op.Value) op.Value {
	if len(affine) > 0 {
		affine[0] = op.Scale(p, affine[0])
	}
	if p.Precision.Autocast {
		x = op.To(p, x, 2)
		for k, v := range affine {
			affine[k] = op.To(p, v, 2)
		}
	}
	return op.LayerNormAsIs(p, x, group, affine...)
}

// shifted scales with a weight and adds a bias, where there are some.
func shifted(p *op.Program, x op.Value, affine []op.Value) op.Value {
	if len(affine) > 0 {
		x = op.Mul(p, affine[0], x)
	}
	if len(affine) > 1 {
		x = op.Add(p, x, affine[1])
	}
	return x
}
