package hf

var _ = define(Family{Type: "starcoder2", Default: "Starcoder2ForCausalLM", Classes: headed("Starcoder2", starcoder2, sequences, tokens)})

// starcoder2 has layer norms and a plain network; one key decides on the biases of all maps.
func starcoder2(*Build) Decoder {
	return Decoder{FinalNorm: lastLayerNorm, Layer: func(b *Build, x Node, _ int64) Node {
		b = b.With(b.ignoreNull("head_dim"))
		bias := b.Bool("use_bias")
		a := b.rotary(0).biased(bias).within(b.Or("sliding_window", 0))
		return b.layerNormed(x,
			func(x Node) Node { return b.Attend(x, "self_attn", a) },
			func(x Node) Node {
				return b.Scope("mlp").MLP(x, "c_fc", "c_proj", a.Dim, b.Size("intermediate_size"), bias, "hidden_act")
			})
	}}
}
