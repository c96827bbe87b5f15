package hf

var _ = define(Family{Type: "glm4_moe", Default: "Glm4MoeForCausalLM", Classes: headed("Glm4Moe", layered(func(b *Build, x Node, i int64) Node {
	return b.PreNorm(x, b.Size("hidden_size"),
		func(x Node) Node {
			a := b.partly(b.rotaryAttention(0), "", 0.5, false)
			a.OutBias = false
			if b.Bool("use_qk_norm") {
				a.Norm = HeadRMS
			}
			return b.Attend(x, "self_attn", a)
		},
		func(x Node) Node { return b.deepseekNetwork(x, i >= b.Int("first_k_dense_replace"), false) })
}))})
