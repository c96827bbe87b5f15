package hf

var _ = define(Family{Type: "olmoe", Default: "OlmoeForCausalLM", Classes: headed("Olmoe", layered(olmoe))})

// olmoe has experts, and norms of all heads of queries and keys at once. The norms are as wide as hidden_size, whatever the heads
// take of it.
func olmoe(b *Build, x Node, _ int64) Node {
	a := b.rotary(0).biased(b.Bool("attention_bias")).filled()
	return b.PreNorm(x, a.Dim,
		func(x Node) Node {
			m := b.Scope("self_attn")
			q, k, v := m.project(x, a)
			q, k = m.RMSNorm(q, "q_norm", a.Dim), m.RMSNorm(k, "k_norm", a.Dim/a.Heads*a.KV)
			q, k = m.Rotate(q, a.HeadDim, a.Base), m.Rotate(k, a.HeadDim, a.Base)
			return m.Linear(m.Core(q, k, v, a.Heads, a.KV, true), "o_proj", a.Heads*a.HeadDim, a.Dim, a.OutBias)
		},
		func(x Node) Node { return b.Experts(x, "mlp", b.routed("num_experts", "intermediate_size")) })
}
