package hf

var _ = define(Family{Type: "helium", Default: "HeliumForCausalLM", Classes: headed("Helium", layered(helium), sequences, tokens)})

// helium is llama whose last map of attention has no bias, and takes hidden_size whatever the heads give.
func helium(b *Build, x Node, _ int64) Node {
	a := b.rotary(100_000)
	a.Bias = b.Bool("attention_bias")
	return b.PreNorm(x, a.Dim,
		func(x Node) Node {
			if a.Heads*a.HeadDim == a.Dim {
				return b.Attend(x, "self_attn", a)
			}
			m := b.Scope("self_attn")
			return m.Linear(m.attended(x, a.filled()), "o_proj", a.Dim, a.Dim, false)
		},
		func(x Node) Node { return b.mlp(x, b.Bool("mlp_bias")) })
}
