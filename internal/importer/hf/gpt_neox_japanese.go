package hf

var _ = define(Family{Type: "gpt_neox_japanese", Default: "GPTNeoXJapaneseForCausalLM",
	Classes: topped("GPTNeoXJapaneseForCausalLM", "GPTNeoXJapaneseModel", gptNeoXJapanese)})

// gptNeoXJapanese has no bias but one: behind the attention of the last layer.
func gptNeoXJapanese(*Build) Decoder {
	return Decoder{Prefix: "gpt_neox_japanese", Embed: "embed_in", Norm: "final_layer_norm", Head: "embed_out", FinalNorm: lastLayerNorm,
		Layer: func(b *Build, x Node, i int64) Node {
			a := b.neoX(1)
			wide := int64(float64(a.Dim) * b.Float("intermediate_multiple_size"))
			return b.layerNormed(x,
				func(x Node) Node {
					y := b.attendSquare(x, "attention", a)
					if i == b.Int("num_hidden_layers")-1 {
						y = b.shift(y, "attention.dense_bias", a.Dim)
					}
					return y
				},
				func(x Node) Node {
					return b.Scope("mlp").MLP(x, "dense_h_to_4h", "dense_4h_to_h", a.Dim, wide, false, "hidden_act")
				})
		}}
}
