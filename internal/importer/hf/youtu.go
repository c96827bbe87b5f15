package hf

var _ = define(Family{Type: "youtu", Default: "YoutuForCausalLM", Classes: headed("Youtu", layered(func(b *Build, x Node, _ int64) Node {
	return b.PreNorm(x, b.Size("hidden_size"), b.latentAttention, func(x Node) Node { return b.mlp(x, false) })
}))})
