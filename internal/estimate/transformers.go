package estimate

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// productBytes is the width of what a product gives.
func (s *stepper) productBytes() int64 {
	if s.o.Precision == "bf16" || autocasts(s.o.Precision) {
		return 2
	}
	return 4
}

// keepTransformers declares what transformers' module keeps of a component, and reports whether it knows better than the
// catalogue, which follows PyTorch's own. Every line follows from the operations of the module in transformers 5.17 and what
// autograd keeps of each: a product of two tensors both of them where both have gradients, a power its input, a softmax, a
// hyperbolic tangent and a root their results, a cast nothing.
func (s *stepper) keepTransformers(p, i int) bool {
	n := &s.res.Nodes[i]
	if n.Type.ID == "windowAttention" && n.Out.Rank() == 3 {
		s.keepWindows(p, i)
		return true
	}
	if !s.plainShapes(n) {
		return false
	}
	if s.how[i].has(indexed) {
		s.add(p, times(max(0, n.Out.Size()), s.o.Batch, 8))
	}
	if s.keepRecurrent(p, i) || s.keepWideActivation(p, i) {
		return true
	}
	switch n.Type.ID {
	case "rmsNorm":
		s.keepRMS(p, i, times(lastAxes(n), 1))
	case "qkNorm":
		if arg(n, "kind").Str() == "layer" {
			return false
		}
		s.keepRMS(p, i, max(1, arg(n, "headDim").Int()))
	case "groupedQueryAttention", "ropeAttention":
		s.keepWhole(p, i)
	case "attentionCore":
		if !s.bare(i) {
			return false
		}
		s.keepCore(p, i)
	case "crossAttention":
		s.keepCross(p, i)
	case "moeLayer":
		s.keepExperts(p, i)
	case "mla":
		s.keepLatent(p, i)
	case "max": // of an axis, whose places are kept
		s.add(p, times(max(0, n.Out.Size()), s.o.Batch, 8))
	case "matmul":
		return s.keepCut(p, i)
	case "layerNorm":
		if !s.how[i].has(steps) {
			return s.keepWideNorm(p, i)
		}
		s.keepNormSteps(p, i)
	case "gelu", "quickGelu", "squaredRelu", "customModule":
		return s.how[i].has(linear) && s.keepEdges(p, i) || s.keepActivation(p, i) || s.keepWideCopies(p, i)
	case "multiply":
		return s.how[i].has(inside) || s.keepWideCopies(p, i) // the norm keeps what its scale needs
	case "geglu", "swiglu":
		return s.keepGated(p, i)
	case "softmax":
		if !s.how[i].has(wide) || !s.narrow[i] {
			return false
		}
		s.add(p, times(max(0, n.Out.Size()), s.o.Batch, 4))
	default:
		return false
	}
	return true
}

func lastAxes(n *infer.Node) int64 {
	size := int64(1)
	for i := range n.Args {
		if n.Type.Params[i].Name == "normalizedShape" {
			for _, v := range n.Args[i].List() {
				size = times(size, v.Int())
			}
			if n.Args[i].Kind() == graph.Int {
				size = n.Args[i].Int()
			}
		}
	}
	return max(1, size)
}

// keepRMS: the input as 32-bit floats (its square and its product with the root keep it), the root, and the normalised values
// in front of their scale.
func (s *stepper) keepRMS(p, i int, features int64) {
	n := &s.res.Nodes[i]
	from := s.input(i, 0)
	if from < 0 {
		return
	}
	count := times(max(0, n.Out.Size()), s.o.Batch)
	width := width(&s.res.Nodes[from], s.narrow[from])
	if width == 4 || s.how[i].has(plain) && !autocasts(s.o.Precision) {
		s.share(p, s.source(from))
	} else {
		s.add(p, times(count, 4))
		if s.how[i].has(late) {
			s.share(p, s.source(from))
		}
	}
	s.add(p, times(count/features, 4))
	if affine := arg(n, "elementwiseAffine"); affine.Kind() == graph.Bool && !affine.Bool() || !s.shares[i].own {
		return // a product with what is not trained keeps that alone
	}
	switch {
	case s.how[i].has(wide):
		width = 4
	case s.how[i].has(late):
		width = weightSize(s.o.Precision)
	}
	s.add(p, times(count, width))
}

// heads is an attention of transformers.
type heads struct {
	queries, keys, count, kv, features, values int64 // features and values are those of one head
	masked                                     bool  // a mask is in memory: a window that is no longer than the sequence
}

func wholeHeads(n *infer.Node) heads {
	h := heads{queries: n.In[0][0], keys: n.In[0][0], count: max(1, arg(n, "numHeads").Int()), kv: arg(n, "numKVHeads").Int(), features: arg(n, "headDim").Int()}
	if h.kv < 1 {
		h.kv = h.count
	}
	if h.features < 1 {
		h.features = arg(n, "embedDim").Int() / h.count
	}
	h.values = h.features
	h.masked = windowed(n, h.keys)
	return h
}

func coreHeads(n *infer.Node) heads {
	h := heads{queries: n.In[0][0], keys: n.In[1][0], count: max(1, arg(n, "numHeads").Int()), kv: arg(n, "numKVHeads").Int()}
	if h.kv < 1 {
		h.kv = h.count
	}
	h.features, h.values = n.In[0].At(-1)/h.count, n.In[2].At(-1)/h.kv
	h.masked = windowed(n, h.keys)
	return h
}

func windowed(n *infer.Node, keys int64) bool {
	w := arg(n, "windowSize").Int()
	return w > 0 && w <= keys // transformers leaves the mask out for fewer keys than a window has
}

// flashFeatures is the size of the largest head that the kernels of 16-bit floats take that know groups (check_head_dim_size_flash).
const flashFeatures = 256

// kernel is how transformers' attention runs. It asks the fused kernels to repeat keys and values themselves, which those of
// 16-bit floats do; for 32-bit floats PyTorch then falls back to the formula, whose scores are in memory. It does so whatever the
// width where keys and values have one head and nobody asks for a repetition, and where the last axis of a bias is not the one that
// lies together, which every fused kernel wants (check_last_dim_stride_equals_1_dense of sdp_utils_cpp.h). No kernel that takes a bias
// repeats keys and values. For larger heads than those kernels take it repeats them itself, for one that takes any.
func (s *stepper) kernel(i int, h heads) string {
	switch {
	case s.how[i].has(blocks):
		return "blocks"
	case s.o.Attention == "eager" || s.how[i].has(eager):
		return "eager"
	case s.how[i].has(broadcast), s.how[i].has(strided):
		return "math"
	case h.masked || s.how[i].has(masks):
		return "masked"
	case h.features > flashFeatures && h.kv < h.count && !s.addsBias(i):
		return "repeated"
	case (s.productBytes() == 4 || s.addsBias(i)) && h.kv < h.count:
		return "math"
	}
	return "fused"
}

// keepWhole is attention with its four matrices.
func (s *stepper) keepWhole(p, i int) {
	n := &s.res.Nodes[i]
	h := wholeHeads(n)
	if j := s.input(i, 0); j >= 0 {
		s.keepInput(p, i, j)
	}
	if arg(n, "qkNorm").Bool() {
		for _, rows := range []int64{times(h.queries, h.count), times(h.keys, h.kv)} {
			rows = times(rows, s.o.Batch)
			scaled := s.productBytes()
			if s.how[i].has(wide) {
				scaled = 4
			}
			s.add(p, times(rows, h.features, 4)) // what arrives in 32 bits: itself or a copy
			s.add(p, times(rows, 4))
			s.add(p, times(rows, h.features, scaled))
		}
	}
	w := s.productBytes()
	s.keepClipped(p, i, times(h.queries, h.count, h.features, s.o.Batch, w), times(h.keys, h.kv, h.features, s.o.Batch, w), times(h.keys, h.kv, h.values, s.o.Batch, w))
	query, out := times(h.queries, h.count, h.features, s.o.Batch, w), times(h.queries, h.count, h.values, s.o.Batch, w)
	repeated := h.kv
	kernel := s.kernel(i, h)
	if kernel != "fused" {
		repeated = h.count
	}
	if kernel == "math" { // computed in 32 bits whatever arrives
		query, w = times(h.queries, h.count, h.features, s.o.Batch, 4), 4
	}
	exactly := s.scoreWidth(i, kernel, w)
	s.add(p, query/w*exactly)
	s.add(p, times(h.keys, repeated, h.features, s.o.Batch, exactly))
	values := times(h.keys, repeated, h.values, s.o.Batch, w)
	if kernel == "fused" && s.how[i].has(fused) && n.Type.ID == "ropeAttention" { // a part of the one result, all of which stays
		values = plus(query, times(2, values))
	}
	s.add(p, values)
	s.add(p, out)
	if s.copiesResult(i, kernel) {
		s.add(p, out)
	}
	s.keepAttended(p, i, h, kernel)
}

// keepCore is attention without its matrices: queries, keys and values arrive.
func (s *stepper) keepCore(p, i int) {
	h := s.coreHeads(i)
	kernel, w := s.kernel(i, h), s.productBytes()
	if kernel == "blocks" {
		s.keepBlocks(p, i, h)
		return
	}
	if kernel == "fused" {
		for k := range 3 {
			if j := s.input(i, k); j >= 0 {
				s.keepInput(p, i, j)
			}
		}
	} else { // copies, whose heads lie one after the other
		if kernel == "math" {
			w = 4
		}
		s.keepCopies(p, i, h, s.scoreWidth(i, kernel, w), w)
	}
	if kernel == "fused" || kernel == "masked" || kernel == "repeated" { // the product with the values keeps no result
		s.share(p, i)
	}
	if s.copiesResult(i, kernel) {
		s.add(p, s.result(i))
	}
	s.keepAttended(p, i, h, kernel)
}

// bare reports whether a component is attention as keepCore knows it. A bias is added to scores that are in memory, which keeps
// nothing; what the kernels keep of one is in the catalogue.
func (s *stepper) bare(i int) bool {
	n := &s.res.Nodes[i]
	if len(n.In) < 3 {
		return false
	}
	kernel := s.kernel(i, s.coreHeads(i))
	return (len(n.In) == 3 || s.choosesKeys(i)) && !arg(n, "sinks").Bool() || kernel == "eager" || kernel == "math"
}

func crossHeads(n *infer.Node) heads {
	memory := n.In[len(n.In)-1]
	h := heads{queries: n.In[0][0], keys: memory[0], count: max(1, arg(n, "numHeads").Int())}
	h.kv, h.features = h.count, arg(n, "embedDim").Int()/h.count
	h.values = h.features
	return h
}

// keepCross is attention whose keys and values come from elsewhere, by matrices of their own.
func (s *stepper) keepCross(p, i int) {
	n := &s.res.Nodes[i]
	h, w := crossHeads(n), s.productBytes()
	for k, maps := range []int{1, 2} {
		j := s.input(i, min(k, len(n.In)-1))
		for range maps {
			if j >= 0 {
				s.keepInput(p, i, j)
			}
		}
	}
	for _, rows := range []int64{h.queries, h.keys, h.keys, h.queries} {
		s.add(p, times(rows, h.count, h.features, s.o.Batch, w))
	}
	s.keepAttended(p, i, h, s.kernel(i, h))
}

// keepAttended is what the kernel keeps beside queries, keys, values and the result.
func (s *stepper) keepAttended(p, i int, h heads, kernel string) {
	rows := times(h.queries, h.count, s.o.Batch)
	if s.how[i].has(banded) {
		kernel = s.keepBand(p, i, rows, h.keys)
	}
	switch kernel {
	case "banded":
	case "eager":
		s.keepCapped(p, i, times(rows, h.keys))
		s.add(p, times(rows, h.keys, s.softmaxBytes(i)))
		if w := s.castScoreBytes(i); w > 0 {
			s.add(p, times(rows, h.keys, w))
		}
		s.keepScores(p, i, times(rows, h.keys), s.softmaxBytes(i), s.castScoreBytes(i) > 0)
	case "math":
		s.add(p, times(rows, h.keys, 4))
		s.keepScores(p, i, times(rows, h.keys), 4, false)
	case "masked":
		s.add(p, times(h.queries, h.keys, s.o.Batch, s.productBytes()))
		fallthrough
	default:
		s.add(p, times(rows, 4))
	}
}

// softmaxBytes is the width of the weights of eager attention, and castScoreBytes that of the copy which is multiplied with the
// values, 0 where there is none.
func (s *stepper) softmaxBytes(i int) int64 {
	if s.o.Precision == "bf16" && s.how[i].has(plain) || s.how[i].has(recast) {
		return s.productBytes()
	}
	return 4
}

func (s *stepper) castScoreBytes(i int) int64 {
	if s.productBytes() < s.softmaxBytes(i) {
		return 2
	}
	return 0
}

// innerTransformers is what the backward pass of transformers' module needs for itself, as inner.
func (s *stepper) innerTransformers(i int) (int64, bool) {
	n := &s.res.Nodes[i]
	if n.Type.ID == "windowAttention" && n.Out.Rank() == 3 {
		return s.innerWindows(i), true
	}
	if !s.plainShapes(n) {
		return 0, false
	}
	if bytes := s.innerRecurrent(i); bytes > 0 {
		return bytes, true
	}
	switch n.Type.ID {
	case "rmsNorm", "qkNorm":
		return times(3, max(0, n.Out.Size()), s.o.Batch, 4), true
	case "groupedQueryAttention", "ropeAttention":
		return s.innerHeads(i, wholeHeads(n)), true
	case "attentionCore":
		if !s.bare(i) {
			return 0, false
		}
		return s.innerHeads(i, s.coreHeads(i)), true
	case "crossAttention":
		return s.innerHeads(i, crossHeads(n)), true
	case "mla":
		return s.innerHeads(i, latentHeads(n)), true
	case "moeLayer":
		return s.innerExperts(i), true
	case "softmax":
		return s.innerSoftmax(i), true
	case "layerNorm":
		if s.how[i].has(steps) && !s.how[i].has(plain) {
			return s.innerNormSteps(i), true
		}
	case "gelu":
		if s.how[i].has(steps) {
			return times(max(0, n.Out.Size()), s.o.Batch, weightSize(s.o.Precision)), true // both factors of its last product, ahead of what arrives
		}
	}
	return 0, false
}

// innerHeads: with scores in memory their gradient, its product with the softmax, and the gradient in front of the softmax,
// less the copy that is free by then; else the gradients of queries, keys and values.
func (s *stepper) innerHeads(i int, h heads) int64 {
	rows := times(h.queries, h.count, s.o.Batch)
	projected := times(3, rows, h.features, weightSize(s.o.Precision))
	switch s.kernel(i, h) {
	case "eager":
		return max(projected, times(rows, h.keys, 3*s.softmaxBytes(i)-s.castScoreBytes(i))) - s.aside(i, h, s.productBytes())
	case "math":
		return max(projected, times(rows, h.keys, 12)) - s.aside(i, h, 4)
	case "repeated":
		return plus(projected, s.largeHeads(h)) - s.handed(i, h)
	}
	return projected
}
