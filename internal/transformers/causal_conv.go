package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// CausalConv is the convolution along the sequence in front of a recurrence: causal_conv1d_fn as it runs where no kernel is installed.
type CausalConv struct{}

var _ = usual(CausalConv{}, "depthwiseConv1d")

// Lower reads what arrives in the width of the weight, before autocast narrows that again.
func (CausalConv) Lower(l *catalog.Lowering) op.Value {
	if l.Int("padding") == l.Int("kernelSize")-1 {
		l.X[0] = op.To(l.P, l.X[0], l.P.Width(l.W("weight")))
	}
	return Same{}.Lower(l)
}
