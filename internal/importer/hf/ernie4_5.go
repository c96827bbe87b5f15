package hf

var _ = define(Family{Type: "ernie4_5", Default: "Ernie4_5ForCausalLM", Classes: headed("Ernie4_5", layered(func(b *Build, x Node, _ int64) Node {
	return b.PreNorm(x, b.Size("hidden_size"), b.ernieAttention, func(x Node) Node { return b.mlp(x, b.Bool("use_bias")) })
}))})

// ernieAttention takes its biases from use_bias.
func (b *Build) ernieAttention(x Node) Node {
	a := b.rotaryAttention(500_000)
	a.Bias = b.Bool("use_bias")
	a.OutBias = a.Bias
	return b.Attend(x, "self_attn", a)
}
