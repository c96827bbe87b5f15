package catalog

import "github.com/modelverifier/verifier/internal/op"

// grouped is the attention of groupedQueryAttention and ropeAttention.
type grouped struct {
	turns    bool // rotary positions are inside
	windowed bool
}

func (g grouped) lower(l *Lowering) op.Value {
	p, x := l.P, l.X[0]
	s, heads, shared, d := l.In[0][0], l.Int("numHeads"), l.Int("numKVHeads"), l.Int("headDim")
	h := op.Heads{Queries: s, Keys: s, Count: heads, Features: d, Values: d, Causal: l.Bool("causal") && !g.windowed, Dropout: l.InnerDropout()}
	q := op.View(p, l.Map(x, "q_proj"), heads, s, d)
	k := op.View(p, l.Map(x, "k_proj"), shared, s, d)
	v := op.View(p, l.Map(x, "v_proj"), shared, s, d)
	if l.Has("clip") {
		q, k, v = op.OfInput(p, q), op.OfInput(p, k), op.OfInput(p, v)
	}
	normed := l.Bool("qkNorm")
	if normed {
		q, k = op.RMSNormOfStrided(p, q, l.W("q_norm.weight"), d), op.RMSNormOfStrided(p, k, l.W("k_norm.weight"), d)
	}
	if g.turns {
		q, k = l.both(l.rotate, q, k)
	}
	if h.Causal || g.windowed {
		k, v = l.cached(k, v)
		h.Keys = p.Shape(k)[1]
	}
	if heads > shared {
		k, v = l.both(func(x op.Value) op.Value { return l.repeat(x, heads) }, k, v)
	}
	mask := op.None
	if g.windowed || g.turns && h.Causal && l.Eager {
		mask = op.Constant(p, op.Byte, true, h.Queries, h.Keys)
	}
	h.Causal = h.Causal && h.Queries > 1 // is_causal of transformers' sdpa_attention_forward: one token sees all
	repeated := heads > shared
	y := l.attend(q, k, v, mask, h, inHeads{q: normed, k: repeated || normed, v: repeated})
	return l.named(l.Map(y, "o_proj"), q, k, v)
}

// both is a, b = f(a), f(b), which has a name for the first two until the last is there.
func (l *Lowering) both(f func(op.Value) op.Value, a, b op.Value) (op.Value, op.Value) {
	x, y := f(a), f(b)
	return x, l.named(y, a, b)
}

// repeat is Tensor.repeat_interleave of the heads: a copy of what is expanded.
func (l *Lowering) repeat(x op.Value, heads int64) op.Value {
	shape := l.P.Shape(x)
	return op.Contiguous(l.P, op.View(l.P, x, heads, shape[1], shape[2]), heads, shape[1], shape[2])
}

// rotate turns pairs of features, the first half with the second, by angles that are computed anew in every pass.
func (l *Lowering) rotate(x op.Value) op.Value {
	p, shape := l.P, l.P.Shape(x)
	s, d := shape[len(shape)-2], shape[len(shape)-1]
	half := append(append([]int64{}, shape[:len(shape)-1]...), d/2)
	angles := op.Constant(p, op.Float32, true, s, d)
	cosines := op.To(p, op.OfInput(p, angles), p.Width(x))
	sines := op.To(p, op.OfInput(p, angles), p.Width(x))
	straight := op.Mul(p, x, cosines)
	negated := op.Scale(p, op.View(p, x, half...))
	return op.Add(p, straight, op.Mul(p, op.Concatenate(p, shape, negated, op.View(p, x, half...)), sines))
}

// inHeads says which of queries, keys and values lie head by head in memory, and not position by position. Sliced are
// those that are parts of the features of one map, so that the heads of samples do not lie at even distances.
type inHeads struct{ q, k, v, sliced bool }

// attend is attention by a fused kernel, or with the scores in memory and their softmax in 32 bits, as transformers
// writes it. It gives the heads of a position side by side. A mask is of booleans, which hide scores, or of floats,
// which are added to them.
func (l *Lowering) attend(q, k, v, mask op.Value, h op.Heads, lie inHeads) op.Value {
	p := l.P
	rows := []int64{h.Queries, h.Count * h.Values}
	if !l.Eager && l.caps() {
		return l.attendCapped(q, k, v, mask, h, lie)
	}
	if !l.Eager {
		kernel := h.Kernel(l.product(), mask != op.None)
		if mask != op.None && p.Tensors[mask].DType == op.Byte {
			mask = op.ConstantLike(p, q, h.Queries, h.Keys)
		}
		if kernel == op.Math {
			v = l.matrices(v, lie.v, lie.sliced)
		}
		out := op.Attention(p, q, k, v, mask, h)
		if kernel == op.Math || kernel == op.CuDNN && lie.q && h.Count > 1 && h.Queries > 1 {
			return op.Contiguous(p, out, rows...)
		}
		return op.View(p, out, rows...)
	}
	width := p.Width(q)
	scores := l.capped(op.Scale(p, op.Scores(p, l.matrices(q, lie.q, lie.sliced), l.matrices(k, lie.k, lie.sliced), op.None, h)))
	switch {
	case mask != op.None && p.Tensors[mask].DType == op.Byte:
		scores = op.MaskedFill(p, scores, mask)
	case mask != op.None:
		scores = op.Add(p, scores, mask)
	case h.Causal:
		scores = op.Add(p, scores, op.ConstantLike(p, scores, h.Queries, h.Keys))
	}
	weights := l.dropout(op.To(p, op.Softmax(p, op.To(p, scores, 4)), width))
	y := op.Weigh(p, weights, l.matrices(v, lie.v, lie.sliced), h)
	return op.Contiguous(p, l.named(y, q, k, v, scores), rows...)
}

// attendCapped is attention whose scores go through a hyperbolic tangent, which no fused kernel computes.
func (l *Lowering) attendCapped(q, k, v, mask op.Value, h op.Heads, lie inHeads) op.Value {
	p := l.P
	scores := op.Scores(p, l.matrices(op.Scale(p, q), lie.q, lie.sliced), l.matrices(k, lie.k, lie.sliced), op.None, h)
	scores = l.capped(scores)
	if mask == op.None && h.Causal {
		mask = op.Constant(p, op.Byte, true, h.Queries, h.Keys)
	}
	switch {
	case mask != op.None && p.Tensors[mask].DType == op.Byte:
		scores = op.MaskedFill(p, scores, mask)
	case mask != op.None:
		scores = op.Add(p, scores, mask)
	}
	y := op.Weigh(p, l.dropout(op.Softmax(p, scores)), l.matrices(v, lie.v, lie.sliced), h)
	return op.Contiguous(p, l.named(y, q, k, v), h.Queries, h.Count*h.Values)
}

// headByHead is (heads, positions, features) as torch.matmul reads it, which copies what lies position by position.
func (l *Lowering) headByHead(x op.Value, lies bool) op.Value { return l.matrices(x, lies, false) }

func (l *Lowering) matrices(x op.Value, lies, sliced bool) op.Value {
	shape := l.P.Shape(x)
	if lies || l.P.Single || shape[0] == 1 || shape[1] == 1 && !sliced {
		return x
	}
	return op.Contiguous(l.P, x, shape...)
}
