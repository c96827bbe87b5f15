package hf

var _ = define(Family{Type: "deepseek_v3", Default: "DeepseekV3ForCausalLM", Classes: headed("DeepseekV3", layered(func(b *Build, x Node, i int64) Node {
	return b.PreNorm(x, b.Size("hidden_size"), b.latentAttention,
		func(x Node) Node { return b.deepseekNetwork(x, i >= b.Int("first_k_dense_replace"), false) })
}), sequences, tokens)})
