package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// LatentAttention is DeepseekV3Attention: queries and keys are put together of features with rotary embeddings and others, the keys and values of which
// come from a latent vector.
type LatentAttention struct{}

var (
	_ = register("DeepseekV2Attention", "latent attention with a softmax of an fp32 copy", LatentAttention{}, "mla")
	_ = usual(LatentAttention{}, "mla")
)

// Lower is the forward method of the module.
func (a LatentAttention) Lower(l *catalog.Lowering) op.Value {
	if l.In[0].Rank() != 2 {
		return Same{}.Lower(l)
	}
	p, x, s := l.P, l.X[0], l.In[0][0]
	count, nope, rope, values := l.Int("numHeads"), l.Int("qkNopeHeadDim"), l.Int("qkRopeHeadDim"), l.Int("vHeadDim")
	h := op.Heads{Queries: s, Keys: s, Count: count, KV: count, Features: nope + rope, Values: values, Causal: true}
	heads := func(features int64) []int64 { return []int64{count, s, features} }

	q := op.Split(p, ofHeads(p, a.queries(l), count, true), heads(nope), heads(rope))
	rank := l.Int("kvLoraRank")
	both := op.Split(p, l.Map(x, "kv_a_proj_with_mqa"), []int64{s, rank}, []int64{s, rope})
	latent := RMSNorm{}.Of(p, both[0], l.W("kv_a_layernorm.weight"), rank)
	turnedQ, turnedK := interleaved(p, q[1], s, rope), interleaved(p, op.View(p, both[1], 1, s, rope), s, rope)
	queries := op.Concatenate(p, heads(nope+rope), q[0], turnedQ)

	wide := ofHeads(p, l.Map(latent, "kv_b_proj"), count, true)
	kv := op.Split(p, wide, heads(nope), heads(values))
	shared := op.View(p, op.To(p, turnedK, p.Width(wide)), heads(rope)...) // copied into the keys, which are as wide as their other part
	keys := op.Concatenate(p, heads(nope+rope), kv[0], shared)
	v := op.Permuted(p, kv[1], heads(values)...)

	out := l.Map(SelfAttention{}.attend(l, queries, keys, v, op.None, h), "o_proj")
	named(p, q[0], turnedQ, turnedK, latent, queries, keys, v)
	return out
}

// queries is a map, or two with a latent vector and its norm between them.
func (a LatentAttention) queries(l *catalog.Lowering) op.Value {
	if rank := l.Int("qLoraRank"); rank > 0 {
		return l.Map(RMSNorm{}.Of(l.P, l.Map(l.X[0], "q_a_proj"), l.W("q_a_layernorm.weight"), rank), "q_b_proj")
	}
	return l.Map(l.X[0], "q_proj")
}

// interleaved is apply_rotary_pos_emb_interleave, which turns features that lie side by side.
func interleaved(p *op.Program, x op.Value, positions, features int64) op.Value {
	shape := p.Shape(x)
	half := append(append([]int64{}, shape[:len(shape)-1]...), shape[len(shape)-1]/2)
	table := func(name string) op.Value {
		return op.View(p, p.Handed(name, op.Float, true, positions, features), positions, features/2)
	}
	cos, sin := table("cos"), table("sin")
	first, second := op.View(p, x, half...), op.View(p, x, half...)
	minus := op.Sub(p, op.Mul(p, first, cos), op.Mul(p, second, sin))
	plus := op.Add(p, op.Mul(p, second, cos), op.Mul(p, first, sin))
	return op.Concatenate(p, shape, minus, plus)
}
