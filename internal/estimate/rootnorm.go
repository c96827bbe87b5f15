package estimate

import "github.com/modelverifier/verifier/internal/infer"

// What attention keeps of the norms of queries and keys. PyTorch's kernel for RMSNorm keeps what arrives; under autocast that has 16
// bits and the weight 32, which the kernel does not take, and single operations keep a 32-bit copy and what is normalised in front of
// its scale (rms_norm of layer_norm.cpp).
const (
	queriesBefore = "queries before the norm"
	keysBefore    = "keys before the norm"
)

// normsBySteps reports whether a component is PyTorch's RMSNorm of what autocast made 16 bits of, with a weight.
func (s *stepper) normsBySteps(i int) bool {
	n := &s.res.Nodes[i]
	if !autocasts(s.o.Precision) || s.how[i].has(transformers) || len(n.Weights) == 0 || n.Type.ID != "rmsNorm" && (n.Type.ID != "qkNorm" || arg(n, "kind").Str() != "rms") {
		return false
	}
	j := s.input(i, 0)
	return j >= 0 && s.narrow[j]
}

// innerSteps is what the backward pass of such a norm needs: with the gradient of its result those of what is normalised and of
// each weight's part, which are summed; then, when those and what is normalised are free, the gradients along the root: of the factor, of
// the squares, and of what arrived by both ways.
func (s *stepper) innerSteps(i int) int64 {
	n := &s.res.Nodes[i]
	elems, features := times(max(0, n.Out.Size()), s.batch(i)), max(1, n.Weights[0].Shape.Size())
	wide := block(times(elems, 4))
	return max(plus(wide, wide, sumWorkspace(elems/features, features)), times(3, wide)) - block(times(elems, 2))
}

// latentNorms is what those operations keep of the latent vectors of multi-head latent attention beyond what the kernel would: of the
// queries', which are kept before and after the norm, and of the keys' and values', of which what arrives is not kept then.
func (s *stepper) latentNorms(n *infer.Node) int64 {
	if n.Type.ID != "mla" || !autocasts(s.o.Precision) {
		return 0
	}
	positions := times(n.In[0][0], s.o.Batch)
	queries, latent, rotated := arg(n, "qLoraRank").Int(), arg(n, "kvLoraRank").Int(), arg(n, "qkRopeHeadDim").Int()
	return plus(times(positions, queries, 6), times(positions, 6*latent-2*rotated))
}

// joined is the copy that puts the heads of attention's result together where queries arrive with one head behind the other, as the
// norm of autocast's single operations and latent attention give them: cuDNN's kernel gives its result as the queries lie.
func (s *stepper) joined(n *infer.Node) int64 {
	if s.productBytes() != 2 {
		return 0
	}
	positions := times(max(0, n.Out.At(0)), s.o.Batch, s.productBytes())
	switch {
	case n.Type.ID == "mla":
		return s.note(times(positions, arg(n, "numHeads").Int(), arg(n, "vHeadDim").Int()))
	case autocasts(s.o.Precision) && arg(n, "qkNorm").Bool():
		return s.note(times(positions, arg(n, "numHeads").Int(), arg(n, "headDim").Int()))
	}
	return 0
}
