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

// logitSizes is what a logit takes: the logit itself, where the training script holds it until the next step, and at the worst
// moment, when the gradient of the loss is computed. Measured: 4 tensors of 4 bytes in 32-bit floats, 2+4+4+2 under
// autocast, 4 tensors of 2 bytes in bf16. A script that trains transformers' model holds the loss alone: the logarithms of the
// shares, their gradient and that of the logits are there. Most of its losses are taken of 32-bit copies.
func logitSizes(precision string, how implementation) (held, worst int64) {
	switch {
	case how.has(transformers) && (!how.has(plain) || weightSize(precision) == 4 && !autocasts(precision)):
		return 0, 12
	case how.has(transformers) && autocasts(precision):
		if how.has(biased) { // the sum with a 32-bit buffer has 32 bits
			return 0, 12
		}
		return 0, 10
	case how.has(transformers):
		return 0, 6
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
// not among them, nor instance normalisation, which is written with it, nor that of responses, which is written as single operations.
func widens(n *infer.Node) bool {
	switch n.Type.ID {
	case "upsample", "softplus", "exp", "log", "pow", "logSumExp":
		return true
	case "instanceNorm", "grn":
		return false
	}
	return !multiplies(n) && (n.Type.HasAny(catalog.IsSoftmax) || n.Type.Has(catalog.IsNorm) && !n.Type.Has(catalog.IsBatchNorm))
}

// recasts reports whether a component is a layer norm that is taken of a copy in autocast's width, with autocast turned off.
func recasts(n *infer.Node, how implementation) bool {
	return n.Type.ID == "layerNorm" && how.has(recast)
}

// narrow reports, for every component, whether its result has 2-byte elements, into a list of as many.
func narrow(res *infer.Result, precision string, how []implementation, out []bool) []bool {
	cast := autocasts(precision)
	for _, i := range res.Wiring.Order {
		n := &res.Nodes[i]
		switch {
		case !known(n) || n.OutIsInt || n.Type.Has(catalog.IsActivation) && how[i].has(wide):
		case precision == "bf16":
			out[i] = true
		case cast && recasts(n, how[i]):
			out[i] = true
		case !cast || n.Type.HasAny(catalog.IsEmbedding|catalog.IsTensor) || widens(n) && !how[i].has(wide):
		case n.Type.ID == "norm" || n.Type.ID == "sum" || n.Type.ID == "cumsum": // autocast has them give 32 bits, of what arrives as it is (AT_FORALL_FP32_SET_OPT_DTYPE)
		case n.Type.ID == "rope" && how[i].has(transformers) || how[i].has(steps) && n.Type.ID == "gelu" || n.Type.ID == "squaredRelu": // sines and cosines, and powers, are wide
		case how[i].has(inside | wide): // as wide as what the norm gives
			inputs := res.Wiring.Inputs(i)
			out[i] = len(inputs) > 0 && out[inputs[0]]
		case !multiplies(n) && len(n.Weights) > 0 && !n.Type.Has(catalog.IsBatchNorm) && n.Type.ID != "prelu": // a 32-bit weight is added or multiplied with
		case startsWithProduct(n):
			inputs := res.Wiring.Inputs(i)
			out[i], _ = blockNarrow(n, len(inputs) > 0 && out[inputs[0]])
		case multiplies(n) && !n.Type.Has(catalog.HasResidual) && !groups(n, how[i]): // those experts give back the width that they got
			out[i] = !how[i].has(added) && !how[i].has(matrices) // what those divide by is wide
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
