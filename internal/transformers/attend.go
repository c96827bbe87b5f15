package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// groupedFeatures is the size of the largest head for which transformers asks the kernels to repeat keys and values (use_gqa_in_sdpa).
const groupedFeatures = 256

// inMemory reports whether the scores of attention are, so that the gradients of queries, keys and values come head by head.
func (a SelfAttention) inMemory(l *catalog.Lowering, h op.Heads) bool {
	if a.Eager || l.Eager || a.Broadcast || a.Strided {
		return true
	}
	h = a.asked(l, h)
	return h.Kernel(products(l.P), a.hidden(l, h)) == op.Math
}

// products is the bytes of what a product gives.
func products(p *op.Program) int64 {
	if p.Precision.Autocast {
		return 2
	}
	return p.Precision.Width(op.Float)
}

// hidden reports whether a mask is given to the kernel: transformers leaves that of a window out for fewer keys than it has, and makes one where
// positions begin again inside of a row (find_packed_sequence_indices in masking_utils.py).
func (a SelfAttention) hidden(l *catalog.Lowering, h op.Heads) bool {
	return a.Masked || window(l, h) > 0 || l.Masks && h.Causal
}

// window is how many positions back are seen, 0 for all.
func window(l *catalog.Lowering, h op.Heads) int64 {
	if l.Type.Param("windowSize") == nil || !l.Has("windowSize") || l.Int("windowSize") > h.Keys {
		return 0
	}
	return l.Int("windowSize")
}

// asked is the heads as transformers hands them to the kernel.
func (a SelfAttention) asked(l *catalog.Lowering, h op.Heads) op.Heads {
	hidden := a.hidden(l, h) || l.Type.ID == core && len(l.X) > 3
	if h.KV < h.Count && !a.Broadcast && (hidden || h.Features != h.Values || h.Features > groupedFeatures) {
		h.KV = h.Count // repeat_kv
	}
	h.Causal = h.Causal && !hidden && h.Queries > 1
	h.Dropout = a.Dropout
	return h
}

// attend is attention of heads, which it gives side by side.
func (a SelfAttention) attend(l *catalog.Lowering, q, k, v, bias op.Value, h op.Heads) op.Value {
	if a.Eager || l.Eager {
		return a.eager(l, q, k, v, bias, h)
	}
	p, asked := l.P, a.asked(l, h)
	if asked.KV > h.KV {
		k, v = repeatKV(p, k, h.Count), repeatKV(p, v, h.Count)
	}
	mask := op.None
	switch {
	case bias != op.None:
		mask, asked.Causal = a.scoreBias(p, bias, h), false
	case a.hidden(l, h):
		mask = floatMask(p, h, window(l, h))
	}
	asked.HeadFirst = !p.Strided(q) && h.Count > 1 && h.Queries > 1
	if a.Strided {
		return merged(p, op.MathAttention(p, q, k, v, mask, asked), h)
	}
	if a.Broadcast {
		asked.Broadcast = h.KV < h.Count
		return merged(p, op.MathAttention(p, q, k, v, mask, asked), h)
	}
	out := op.Attention(p, q, k, v, mask, asked)
	switch kernel := asked.Kernel(products(p), mask != op.None); {
	case kernel == op.Math:
		return merged(p, out, h)
	case kernel != op.Efficient && asked.HeadFirst:
		return op.Contiguous(p, out, h.Queries, h.Count*h.Values)
	}
	return op.View(p, out, h.Queries, h.Count*h.Values)
}

// scoreBias is what is added to the scores of every query, in the place of a mask: a view of one that has the heads last, else laid out by repeat_kv.
func (a SelfAttention) scoreBias(p *op.Program, bias op.Value, h op.Heads) op.Value {
	full := []int64{h.Count, h.Queries, h.Keys}
	if p.Elems(bias) < h.Count*h.Queries*h.Keys {
		bias = op.View(p, bias, full...)
	}
	if a.Strided || h.KV == h.Count {
		return bias
	}
	return op.Contiguous(p, bias, full...)
}

// floatMask is what scaled_dot_product_attention makes of a mask of truth values, which the model made once: one for each sample.
func floatMask(p *op.Program, h op.Heads, window int64) op.Value {
	op.Alive(p, p.Handed(maskName(window), op.Byte, true, h.Queries, h.Keys))
	dtype := op.Float32
	if products(p) == 2 {
		dtype = op.Float16
	}
	return op.Constant(p, dtype, false, h.Queries, h.Keys)
}

// maskName tells the masks of windows from that of all positions before.
func maskName(window int64) string {
	if window > 0 {
		return "sliding_attention"
	}
	return "full_attention"
}

// repeatKV is repeat_kv.
func repeatKV(p *op.Program, x op.Value, heads int64) op.Value {
	shape := p.Shape(x)
	if shape[0] == heads {
		return x
	}
	all := []int64{heads, shape[1], shape[2]}
	if shape[0] == 1 { // reshape of an axis that was expanded and one of a single entry is a view
		return op.Permuted(p, x, all...)
	}
	return op.Contiguous(p, op.View(p, x, all...), all...)
}

// eager is eager_attention_forward. Its mask is one that the model made, for each sample.
func (a SelfAttention) eager(l *catalog.Lowering, q, k, v, bias op.Value, h op.Heads) op.Value {
	p, width := l.P, l.P.Width(q)
	keys, values := repeatKV(p, k, h.Count), repeatKV(p, v, h.Count)
	scores := a.scores(p, q, keys, h)
	if bias != op.None {
		scores = op.Add(p, scores, bias)
	}
	if h.Causal {
		scores = op.Add(p, scores, p.Handed(maskName(window(l, h)), op.Float, false, h.Queries, h.Keys))
	}
	if a.Clamped {
		scores = op.Maximum(p, scores, op.ConstantLike(p, scores, 1))
	}
	scale := op.None
	sinks := l.W("sinks")
	if a.Scaled && sinks != op.None {
		sums := op.LogSumExp(p, scores, h.Count, h.Queries, 1)
		scale = op.OfOutput(p, op.To(p, op.Sub(p, sums, op.View(p, sinks, h.Count, 1, 1)), 4))
	}
	var weights op.Value
	if sinks != op.None && !a.Scaled {
		weights = a.withSinks(p, scores, sinks, h)
	} else {
		weights = a.softmax(p, scores, width, p.Width(v))
	}
	op.Alive(p, scores)
	if a.Dropout > 0 {
		weights = op.Dropout(p, weights)
	}
	out := op.Weigh(p, weights, op.Matrices(p, values), h)
	if scale != op.None {
		out = op.Mul(p, out, op.To(p, scale, p.Width(out)))
	}
	out = merged(p, out, h)
	named(p, keys, values, weights)
	op.Returned(p, weights)
	return out
}

// scores is the product of queries and keys, scaled, and held below a number.
func (a SelfAttention) scores(p *op.Program, q, k op.Value, h op.Heads) op.Value {
	if a.Exact {
		q, k = op.To(p, q, 4), op.To(p, k, 4)
	}
	var scores op.Value
	if a.Exact && !p.Precision.Autocast {
		scores = op.ExactProduct(p, q, k, h.Queries, h.Features, h.Keys, h.Count)
	} else {
		scores = op.Scores(p, op.Matrices(p, q), op.Matrices(p, k), op.None, h)
	}
	scores = op.Scale(p, scores)
	if a.Capped {
		scores = op.Scale(p, op.OfOutput(p, op.Scale(p, scores)))
	}
	return scores
}

// softmax is that of the scores, in their width or in 32 bits, and cast to that of the queries or values.
func (a SelfAttention) softmax(p *op.Program, scores op.Value, queries, values int64) op.Value {
	if a.Plain {
		return op.Softmax(p, scores)
	}
	width := queries
	if a.Exact {
		width = values
	}
	return op.To(p, op.Softmax(p, op.To(p, scores, 4)), width)
}

// withSinks is a softmax with one more score for each head, which no value belongs to (GptOssAttention), less the largest.
func (a SelfAttention) withSinks(p *op.Program, scores, sinks op.Value, h op.Heads) op.Value {
	sinks = op.View(p, op.Expanded(p, op.View(p, sinks, h.Count, 1, 1), h.Count, 1, 1), h.Count, h.Queries, 1)
	both := op.Concatenate(p, []int64{h.Count, h.Queries, h.Keys + 1}, scores, sinks)
	most, _ := op.TopK(p, both, h.Count, h.Queries, 1)
	less := op.Sub(p, both, most)
	op.Alive(p, both)
	return op.View(p, op.SoftmaxIn(p, less, p.Width(less)), h.Count, h.Queries, h.Keys)
}

// merged is what a product gave head by head, with the heads of a position side by side: transpose(1, 2).contiguous().
func merged(p *op.Program, x op.Value, h op.Heads) op.Value {
	rows := []int64{h.Queries, h.Count * h.Values}
	switch {
	case h.Count == 1 || h.Queries == 1:
		return op.View(p, x, rows...)
	case p.Single:
		return op.Contiguous(p, x, rows...)
	}
	return op.Contiguous(p, op.Transposed(p, x, rows...), rows...)
}

// named is tensors that a Python frame has names for until here.
func named(p *op.Program, names ...op.Value) {
	for _, x := range names {
		if x != op.None {
			op.Alive(p, x)
		}
	}
}
