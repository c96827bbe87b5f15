package hf

var _ = define(Family{Type: "axk1", Default: "AXK1ForCausalLM", Classes: headed("AXK1", layered(func(b *Build, x Node, i int64) Node {
	return b.PreNorm(x, b.Size("hidden_size"), b.latentAttention, func(x Node) Node {
		sparse := i >= b.Int("first_k_dense_replace")
		y := b.deepseekNetwork(x, sparse, false)
		if sparse {
			y = b.RMSNorm(y, "mlp.post_mlp_layernorm", b.Size("hidden_size"))
		}
		return y
	})
}), sequences, tokens)})
