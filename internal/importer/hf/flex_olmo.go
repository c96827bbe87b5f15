package hf

var _ = define(Family{Type: "flex_olmo", Default: "FlexOlmoForCausalLM", Classes: headed("FlexOlmo", layered(func(b *Build, x Node, _ int64) Node {
	return b.sandwich(x, norms{afterAttention: "post_attention_layernorm", afterFeed: "post_feedforward_layernorm"},
		func(x Node) Node {
			a := b.rotaryAttention(500_000)
			a.Norm = FullRMS
			return b.Attend(x, "self_attn", a)
		},
		func(x Node) Node {
			return b.Experts(x, "mlp", Experts{Dim: b.Size("hidden_size"), Count: b.Size("num_experts"), TopK: b.Size("num_experts_per_tok"), Hidden: b.Size("intermediate_size")})
		})
}))})
