package hf

var _ = define(Family{Type: "gemma", Default: "GemmaForCausalLM", Classes: headed("Gemma", layered(gemmaLayer), sequences, tokens)})

// gemmaLayer is that of Llama with a network gated by GELU. The factor of the embedding has no component.
func gemmaLayer(b *Build, x Node, _ int64) Node {
	return b.PreNorm(x, b.Size("hidden_size"),
		func(x Node) Node {
			a := b.rotaryAttention(0)
			a.Causal = !b.Bool("use_bidirectional_attention")
			return b.Attend(x, "self_attn", a)
		},
		func(x Node) Node { return b.mlp(x, false) })
}
