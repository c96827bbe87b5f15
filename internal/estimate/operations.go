package estimate

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// starts is the number of operations that the forward pass of a component starts, and casts that of the casts of autocast. A new
// tensor that is kept is the result of one, and the component's result is the result of another. Views start nothing.
func (s *stepper) starts(i int) (count, casts int64) {
	n := &s.res.Nodes[i]
	if n.Type.HasAny(catalog.IsView|catalog.IsVirtual) || s.skips(i) {
		return 0, 0
	}
	count = 1
	for k := range n.Kept {
		if kept := &n.Kept[k]; kept.Name != catalog.KeptInput && kept.Name != catalog.KeptOutput && kept.As == catalog.AsActivation && !kept.Fixed {
			count++
		}
	}
	count = plus(count, rotated(n), times(6, s.shares[i].adapters)) // two maps beside each, a product and a sum, and their casts
	switch {
	case groups(n, s.how[i]):
		count = plus(count, groupOperations)
	case n.Type.Has(catalog.IsExperts):
		count = plus(count, times(expertOperations, arg(n, "numExperts").Int()))
	}
	if s.how[i].has(transformers) {
		count = plus(count, s.transformersOperations(i))
	} else if s.o.Attention == "eager" && s.scores(n) > 0 {
		count = plus(count, 5) // product, scale, softmax, its copy, and the product with the values
	}
	if autocasts(s.o.Precision) && multiplies(n) {
		for k := range n.Weights {
			if w := &n.Weights[k]; w.Shape.Rank() > 1 && !(isExpert(w) && groups(n, s.how[i])) {
				casts = plus(casts, times(2, w.Times)) // of the weight and of what it is multiplied with
			}
		}
	}
	return count, casts
}

// rotated is what rotary positions start beyond what is kept: for queries and keys two products, a change of sign, a joint and a
// sum each.
func rotated(n *infer.Node) int64 {
	switch n.Type.ID {
	case "ropeAttention":
		return 10
	case "rope":
		return 4
	}
	return 0
}

// transformersOperations is what transformers' module starts beyond what PyTorch's own does.
func (s *stepper) transformersOperations(i int) int64 {
	n := &s.res.Nodes[i]
	if !s.plainShapes(n) {
		return 0
	}
	switch n.Type.ID {
	case "rmsNorm", "qkNorm": // two casts, a square, its mean, a sum, a root and a product
		return 7
	case "gelu":
		if s.how[i].has(steps) { // three products, a power, two sums, a hyperbolic tangent
			return 7
		}
	case "groupedQueryAttention", "ropeAttention", "attentionCore":
		h := heads{}
		switch {
		case n.Type.ID != "attentionCore":
			h = wholeHeads(n)
		case s.bare(i):
			h = coreHeads(n)
		}
		norms := int64(0)
		if n.Type.ID != "attentionCore" && arg(n, "qkNorm").Bool() {
			norms = 14
		}
		switch s.kernel(i, h) {
		case "eager": // copies of queries, keys and values, two products, scale, mask, softmax, cast, copy
			return plus(10, norms)
		case "math": // a mask made of ones, two repetitions, two scales, two products, a sum, a softmax, a copy
			return plus(12, norms)
		}
		return norms
	}
	return 0
}
