package estimate

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// autocasts reports whether products run in 16 bits over 32-bit weights.
func autocasts(precision string) bool { return precision == "amp" || precision == "fp16" }

// weightSize is the bytes of an element of a weight, its gradient and its optimizer states.
func weightSize(precision string) int64 {
	if precision == "bf16" {
		return 2
	}
	return 4
}

// logitSizes is what a logit takes: the logit itself, which the training script holds until the next step, and at the worst
// moment, when the gradient of the loss is computed. Measured: 4 tensors of 4 bytes in 32-bit floats, 2+4+4+2 under
// autocast, 4 tensors of 2 bytes in bf16.
func logitSizes(precision string) (held, worst int64) {
	switch {
	case precision == "bf16":
		return 2, 8
	case autocasts(precision):
		return 2, 12
	}
	return 4, 16
}

// multiplies reports whether a component is made of products, which autocast runs in 16 bits.
func multiplies(n *infer.Node) bool { return n.FLOPs > 0 }

// widens reports whether autocast runs a component in 32-bit floats (the list of autocast_mode.h). Batch normalisation is
// not among them.
func widens(n *infer.Node) bool {
	return !multiplies(n) && (n.Type.HasAny(catalog.IsSoftmax) || n.Type.Has(catalog.IsNorm) && !n.Type.Has(catalog.IsBatchNorm))
}

// narrow reports, for every component, whether its result has 2-byte elements.
func narrow(res *infer.Result, precision string) []bool {
	out := make([]bool, len(res.Nodes))
	cast := autocasts(precision)
	for _, i := range res.Wiring.Order {
		n := &res.Nodes[i]
		switch {
		case !known(n) || n.OutIsInt:
		case precision == "bf16":
			out[i] = true
		case !cast || n.Type.HasAny(catalog.IsEmbedding|catalog.IsTensor) || widens(n):
		case multiplies(n) && !n.Type.Has(catalog.HasResidual):
			out[i] = true
		default: // as wide as the widest that comes in; a residual block adds to what comes in
			inputs := res.Wiring.Inputs(i)
			out[i] = len(inputs) > 0
			for _, j := range inputs {
				out[i] = out[i] && out[j]
			}
		}
	}
	return out
}

// width is the bytes of an element of a component's result.
func width(n *infer.Node, narrow bool) int64 {
	switch {
	case n.OutIsInt:
		return 8
	case narrow:
		return 2
	}
	return 4
}
