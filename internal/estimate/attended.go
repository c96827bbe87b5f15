package estimate

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// copiesResult reports whether the result of the kernel is copied to have the positions first. Those of 16-bit floats give it as the
// queries lie in memory: with the positions first, unless they were joined of parts.
func (s *stepper) copiesResult(i int, kernel string) bool {
	return kernel == "fused" && s.productBytes() == 2 && s.how[i].has(joined)
}

// scoreWidth is the bytes of an element of queries and keys as attention multiplies them, which are so many where it does not cast.
func (s *stepper) scoreWidth(i int, kernel string, bytes int64) int64 {
	if kernel == "eager" && s.how[i].has(exact) && !autocasts(s.o.Precision) {
		return 4
	}
	return bytes
}

// keepCapped keeps what the hyperbolic tangent gives that holds scores below a number.
func (s *stepper) keepCapped(p, i int, scores int64) {
	if s.how[i].has(capped) {
		s.add(p, times(scores, s.productBytes()))
	}
}

// keepClipped keeps queries, keys and values as they were before they were held between two numbers in place.
func (s *stepper) keepClipped(p, i int, sizes ...int64) {
	if !s.how[i].has(clipped) {
		return
	}
	for _, bytes := range sizes {
		s.add(p, bytes)
	}
}

// aside is what the backward pass of attention with its scores in memory does not have beside the gradients of its scores, so many bytes wide its
// queries, keys and values: the values and the gradient of the result are through by then, and the gradients of queries and keys come later. Where the
// component has the matrices, too, so do that of its input and those of the first three; and what the last of them
// read is through, but not the gradient of the values.
func (s *stepper) aside(i int, h heads, w int64) int64 {
	values := times(h.keys, h.count, h.values, s.o.Batch, w)
	out := times(h.queries, h.count, h.values, s.o.Batch, w)
	if s.res.Nodes[i].Type.ID == "attentionCore" {
		return plus(values, out, times(h.queries, h.count, h.features, s.o.Batch, s.productBytes()), times(h.keys, h.kv, h.features, s.o.Batch, s.productBytes()))
	}
	if s.shares[i].own && !s.adds && s.shares[i].adapters == 0 {
		from := max(0, arg(&s.res.Nodes[i], "embedDim").Int())
		out = plus(out, times(from, plus(times(h.count, h.features), times(h.kv, h.features), times(h.kv, h.values)), weightSize(s.o.Precision)))
	}
	return plus(out, s.result(i))
}

// plainShapes reports whether a component has the shapes that the formulas here are for: attention takes sequences.
func (s *stepper) plainShapes(n *infer.Node) bool {
	if n.Out == nil || len(n.In) == 0 {
		return false
	}
	if !n.Type.Has(catalog.IsAttention) {
		return true
	}
	for k, in := range n.In {
		if in.Rank() != 2 && k < 3 {
			return false
		}
	}
	return true
}

// largeHeads is the memory that the kernel for heads of any size takes on the way back for 16-bit floats: 32-bit sums of the gradients of queries, in
// blocks of 128, and of a block of 64 keys and values (workspace_elements_gq and the like of PyTorch's kernel_backward.h).
func (s *stepper) largeHeads(h heads) int64 {
	if s.productBytes() == 4 {
		return 0
	}
	return times((h.queries+127)/128*128+2*64, h.features, h.count, s.o.Batch, 4)
}

// handed is the gradients of what attention without its matrices reads, which are there beside those of what was repeated only behind them.
func (s *stepper) handed(i int, h heads) int64 {
	if s.res.Nodes[i].Type.ID != "attentionCore" {
		return 0
	}
	w := s.productBytes()
	return plus(times(h.queries, h.count, h.features, s.o.Batch, w), times(h.keys, h.kv, plus(h.features, h.values), s.o.Batch, w))
}
