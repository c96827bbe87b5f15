package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// StandardizedConvolution is a convolution whose weight is computed anew in each pass.
type StandardizedConvolution struct{}

var _ = register("WeightStandardizedConv2d", "a weight computed anew in each pass", StandardizedConvolution{}, "conv2d")

// Lower is WeightStandardizedConv2d: F.batch_norm of the weight as one sample of (out_channels, -1), without weight and bias.
func (StandardizedConvolution) Lower(l *catalog.Lowering) op.Value {
	weight := l.W("weight")
	if weight == op.None {
		return Same{}.Lower(l)
	}
	p, shape := l.P, l.P.Shape(weight)
	rows := op.View(p, weight, shape[0], p.Elems(weight)/max(1, shape[0]))
	rows = op.BatchNorm(p, rows, shape[0], true, op.Affine{Weight: op.None, Bias: op.None})
	return l.Convolve(2, op.View(p, rows, shape...))
}
