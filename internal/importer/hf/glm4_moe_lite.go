package hf

var _ = define(Family{Type: "glm4_moe_lite", Default: "Glm4MoeLiteForCausalLM", Classes: headed("Glm4MoeLite", layered(func(b *Build, x Node, i int64) Node {
	return b.PreNorm(x, b.Size("hidden_size"), b.latentAttention,
		func(x Node) Node { return b.deepseekNetwork(x, b.sparse(i, 1), false) })
}))})
