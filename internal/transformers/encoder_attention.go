package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// EncoderAttention is the attention of an encoder, and of a decoder to that.
type EncoderAttention struct {
	Attention
	Dropout float64 // probability of dropping a weight
	Blocks  BlockAttention

	grouped SelfAttention // where heads of queries share those of keys and values, as in decoders
}

// Lower is the attention with its maps, or what is between them.
func (a EncoderAttention) Lower(l *catalog.Lowering) op.Value {
	switch l.Type.ID {
	case core:
		return a.core(l)
	case cross:
		return a.cross(l)
	}
	return a.whole(l)
}

// core is what is between the maps: queries, keys and values arrive, and what is added to the scores.
func (a EncoderAttention) core(l *catalog.Lowering) op.Value {
	heads, kv := l.Int("numHeads"), l.Int("numKVHeads")
	if l.Bool("sinks") || l.Has("windowSize") || kv < heads {
		return a.grouped.Lower(l)
	}
	h := op.Heads{Queries: l.In[0][0], Keys: l.In[1][0], Count: heads, Features: l.In[0].At(-1) / heads, Values: l.In[2].At(-1) / heads, Causal: l.Bool("causal")}
	bias := op.None
	if len(l.X) > 3 {
		bias = l.X[3]
	}
	return a.attend(l, l.X[0], l.X[1], l.X[2], bias, h)
}

// whole is self-attention with its four maps.
func (a EncoderAttention) whole(l *catalog.Lowering) op.Value {
	heads, d := l.Int("numHeads"), l.Int("headDim")
	if l.Int("numKVHeads") < heads || l.Bool("qkNorm") {
		return a.grouped.Lower(l)
	}
	h := op.Heads{Queries: l.In[0][0], Keys: l.In[0][0], Count: heads, Features: d, Values: d, Causal: l.Bool("causal")}
	x := l.X[0]
	q, k, v := l.Map(x, "q_proj"), l.Map(x, "k_proj"), l.Map(x, "v_proj")
	out := l.Map(a.attend(l, q, k, v, op.None, h), "o_proj")
	named(l.P, q, k, v)
	return out
}

// cross is attention to another sequence. transformers has a matrix each for queries, keys and values, which the type declares as one.
func (a EncoderAttention) cross(l *catalog.Lowering) op.Value {
	p, e, heads := l.P, l.Int("embedDim"), l.Int("numHeads")
	x, y := l.X[0], l.X[len(l.X)-1]
	h := op.Heads{Queries: p.Shape(x)[0], Keys: p.Shape(y)[0], Count: heads, Features: e / heads, Values: e / heads}
	var maps [3]op.Value
	for k, of := range [...]op.Value{x, y, y} {
		weight := part(l, "in_proj_weight", k, e, e)
		if weight == op.None {
			weight = l.W([...]string{"q_proj_weight", "k_proj_weight", "v_proj_weight"}[k])
		}
		maps[k] = l.LinearOf(of, weight, part(l, "in_proj_bias", k, e))
	}
	out := l.LinearOf(a.attend(l, maps[0], maps[1], maps[2], op.None, h), l.W("out_proj.weight"), l.W("out_proj.bias"))
	named(p, maps[:]...)
	return out
}

// attend is attention of (positions, heads*features), which it gives, too.
func (a EncoderAttention) attend(l *catalog.Lowering, q, k, v, bias op.Value, h op.Heads) op.Value {
	h.Dropout = a.Dropout
	switch {
	case a.Blocks.Block > 0 && h.Keys/a.Blocks.Block > 4 && bias == op.None:
		return a.Blocks.lower(l, q, k, v, h)
	case a.Eager || l.Eager:
		return a.eager(l, q, k, v, bias, h)
	case a.Strided:
		return a.formula(l, q, k, v, bias, h)
	}
	return a.fused(l, q, k, v, bias, h)
}

// eager is eager_attention_forward.
func (a EncoderAttention) eager(l *catalog.Lowering, q, k, v, bias op.Value, h op.Heads) op.Value {
	p, width := l.P, l.P.Width(q)
	scores := op.Scale(p, op.Scores(p, a.heads(l, q, h.Count), a.heads(l, k, h.Count), op.None, h))
	if bias != op.None {
		scores = op.Add(p, scores, bias)
	}
	if h.Causal {
		scores = op.Add(p, scores, op.ConstantLike(p, scores, h.Queries, h.Keys))
	}
	weights := a.softmax(p, scores, width)
	named(p, scores)
	if a.Emptied {
		weights = op.MaskedFill(p, weights, op.Constant(p, op.Byte, true, h.Queries, h.Keys))
	}
	if a.Dropout > 0 {
		weights = op.Dropout(p, weights)
	}
	out := merged(p, op.Weigh(p, weights, a.heads(l, v, h.Count), h), h)
	named(p, q, k, v, weights)
	op.Returned(p, weights)
	return out
}

// softmax is torch.softmax of the scores, or in 32 bits and cast back.
func (a EncoderAttention) softmax(p *op.Program, scores op.Value, width int64) op.Value {
	switch {
	case a.Recast:
		return op.SoftmaxIn(p, scores, products(p))
	case a.Plain:
		return op.Softmax(p, scores)
	}
	return op.To(p, op.Softmax(p, op.To(p, scores, 4)), width)
}

// formula is _scaled_dot_product_attention_math.
func (a EncoderAttention) formula(l *catalog.Lowering, q, k, v, bias op.Value, h op.Heads) op.Value {
	p := l.P
	if bias != op.None && h.Causal { // torch.where(causal_mask, position_bias, min_dtype)
		bias = op.MaskedFill(p, bias, op.Constant(p, op.Byte, true, h.Queries, h.Keys))
	}
	out := op.MathAttention(p, matrices(l, q, h.Count), matrices(l, k, h.Count), matrices(l, v, h.Count), bias, h)
	return merged(p, out, h)
}

// fused is a kernel that has no scores in memory.
func (a EncoderAttention) fused(l *catalog.Lowering, q, k, v, bias op.Value, h op.Heads) op.Value {
	p := l.P
	rows := []int64{h.Queries, h.Count * h.Values}
	if bias != op.None {
		h.Causal = false
	}
	if h.Kernel(products(p), bias != op.None) == op.Math {
		return a.formula(l, q, k, v, bias, h)
	}
	return op.View(p, op.Attention(p, q, k, v, bias, h), rows...)
}

// heads is queries, keys or values as eager attention multiplies them.
func (a EncoderAttention) heads(l *catalog.Lowering, x op.Value, heads int64) op.Value {
	if !a.Streams {
		return matrices(l, x, heads)
	}
	shape := l.P.Shape(x)
	return op.View(l.P, x, heads, shape[0], shape[1]/heads)
}

// matrices is (positions, heads*features) as torch.matmul reads it, head by head: a copy, unless the heads of all samples lie at even distances.
// Its gradient comes head by head, and is laid out anew for the map before it.
func matrices(l *catalog.Lowering, x op.Value, heads int64) op.Value {
	p, shape := l.P, l.P.Shape(x)
	rows, features := shape[0], shape[1]/heads
	if heads == 1 || rows == 1 {
		return op.View(p, x, heads, rows, features)
	}
	x = op.Reshaped(p, x, heads, rows, features)
	if p.Single {
		return x
	}
	return op.Contiguous(p, x, heads, rows, features)
}

// part is one of the matrices that a type declares as one, or of their biases; op.None where it declares none.
func part(l *catalog.Lowering, path string, nth int, shape ...int64) op.Value {
	for k := range l.Weights {
		if l.Weights[k].Path() == path {
			return l.P.WeightOf(k, int64(nth), shape...)
		}
	}
	return op.None
}
