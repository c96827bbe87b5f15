package hf

var _ = define(Family{Type: "seed_oss", Default: "SeedOssForCausalLM", Classes: headed("SeedOss", layered(seedOSS), sequences, tokens, oldAnswers)})

// seedOSS is llama whose last map of attention has a bias of its own choice.
func seedOSS(b *Build, x Node, _ int64) Node {
	a := b.rotary(0)
	a.Bias, a.OutBias = b.Bool("attention_bias"), b.Bool("attention_out_bias")
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return b.Attend(x, "self_attn", a) },
		func(x Node) Node { return b.mlp(x, b.Bool("mlp_bias")) })
}
