package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// SelfAttention is the attention of a decoder.
type SelfAttention struct {
	Attention
	Dropout float64 // probability of dropping a weight
	Capped  bool    // scores go through a hyperbolic tangent, where they are in memory
	Clipped bool    // queries, keys and values are held between two numbers in place
}

// Lower is attention with its maps, or what is between them.
func (a SelfAttention) Lower(l *catalog.Lowering) op.Value {
	if len(l.In) == 0 || l.In[0].Rank() != 2 {
		return Same{}.Lower(l)
	}
	if l.Type.ID == core {
		return a.core(l)
	}
	return a.whole(l)
}

// whole is the forward method of the module. Its frame has names for queries, keys and values until it returns.
func (a SelfAttention) whole(l *catalog.Lowering) op.Value {
	p, turns := l.P, l.Type.ID == rope
	d := l.Int("headDim")
	h := op.Heads{Queries: l.In[0][0], Keys: l.In[0][0], Count: l.Int("numHeads"), KV: l.Int("numKVHeads"), Features: d, Values: d, Causal: l.Bool("causal")}
	q, k, v := a.project(l, h)
	inMemory := a.inMemory(l, h)
	if l.Bool("qkNorm") {
		q, k = a.normed(l, q, h.Count, d, "q_norm.weight"), a.normed(l, k, h.KV, d, "k_norm.weight")
	}
	q, k, v = ofHeads(p, q, h.Count, inMemory || turns), ofHeads(p, k, h.KV, inMemory || turns), ofHeads(p, v, h.KV, inMemory && h.KV == h.Count)
	if turns {
		turnedQ, turnedK := a.turned(l, q, h), a.turned(l, k, h)
		named(p, q, k)
		q, k = turnedQ, turnedK
	}
	k, v = updated(l, k, v, &h)
	out := l.Map(a.attend(l, q, k, v, op.None, h), "o_proj")
	named(p, q, k, v)
	return out
}

// project gives queries, keys and values.
func (a SelfAttention) project(l *catalog.Lowering, h op.Heads) (q, k, v op.Value) {
	x, p := l.X[0], l.P
	if a.Fused {
		all := l.Joined(x, "q_proj", "k_proj", "v_proj")
		wide, narrow := []int64{h.Queries, h.Count * h.Features}, []int64{h.Keys, h.KV * h.Features}
		return op.View(p, all, wide...), op.View(p, all, narrow...), op.View(p, all, narrow...)
	}
	q, k, v = l.Map(x, "q_proj"), l.Map(x, "k_proj"), l.Map(x, "v_proj")
	if a.Clipped {
		q, k, v = op.OfInputInPlace(p, q), op.OfInputInPlace(p, k), op.OfInputInPlace(p, v)
	}
	return q, k, v
}

// normed is self.q_norm(x.view(hidden_shape)).
func (a SelfAttention) normed(l *catalog.Lowering, x op.Value, heads, features int64, weight string) op.Value {
	positions := l.P.Shape(x)[0]
	y := a.Norm.Of(l.P, op.View(l.P, x, positions, heads, features), l.W(weight), features)
	return op.View(l.P, y, positions, heads*features)
}

// turned is queries or keys with rotary position embeddings.
func (a SelfAttention) turned(l *catalog.Lowering, x op.Value, h op.Heads) op.Value {
	y := rotated(l.P, x, h.Queries, h.Features)
	if a.Joined {
		y = op.Concatenate(l.P, l.P.Shape(x), y)
	}
	return y
}

// core is what is between the maps: queries, keys and values arrive, and what is added to the scores.
func (a SelfAttention) core(l *catalog.Lowering) op.Value {
	p, count, kv := l.P, l.Int("numHeads"), l.Int("numKVHeads")
	h := op.Heads{Queries: l.In[0][0], Keys: l.In[1][0], Count: count, KV: kv, Features: l.In[0].At(-1) / count, Values: l.In[2].At(-1) / kv,
		Causal: l.Bool("causal")}
	bias := op.None
	if len(l.X) > 3 {
		bias = l.X[3]
	}
	if l.Bool("sinks") && !a.Eager || bias != op.None && a.Broadcast {
		return Same{}.Lower(l)
	}
	copied := a.inMemory(l, h)
	q, k, v := ofHeads(p, l.X[0], count, copied), ofHeads(p, l.X[1], kv, copied && kv == count), ofHeads(p, l.X[2], kv, copied && kv == count)
	if a.Joined { // cat of the features with and without rotary embeddings has the heads first
		q, k = op.View(p, l.X[0], count, h.Queries, h.Features), op.View(p, l.X[1], kv, h.Keys, h.Features)
	}
	k, v = updated(l, k, v, &h)
	return a.attend(l, q, k, v, bias, h)
}

// updated is past_key_values.update of keys and values, which are as many as there are positions then.
func updated(l *catalog.Lowering, k, v op.Value, h *op.Heads) (op.Value, op.Value) {
	window := int64(0)
	if l.Type.Param("windowSize") != nil && l.Has("windowSize") {
		window = l.Int("windowSize")
	}
	both := l.Cache(window, k, v)
	h.Keys = l.P.Shape(both[0])[1]
	return both[0], both[1]
}
