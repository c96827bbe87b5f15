package hf

var _ = define(Family{Type: "xglm", Default: "XGLMForCausalLM", Classes: topped("XGLMForCausalLM", "XGLMModel", xglm)})

// xglm has fixed waves for positions, two more than it uses, and may attend to an encoder.
func xglm(b *Build) Decoder {
	b.divides("d_model", "attention_heads")
	dim := b.Size("d_model")
	var memory Node
	if b.Bool("add_cross_attention") {
		memory = b.Input("encoder_hidden_states", b.positions(), dim)
	}
	return Decoder{Norm: "layer_norm", FinalNorm: lastLayerNorm, Dim: dim, Count: b.Int("num_layers"),
		Embedded: func(b *Build, x Node) Node {
			return b.drop(b.waves(x, "embed_positions", b.Size("max_position_embeddings")+2, dim), "dropout")
		},
		Layer: func(b *Build, x Node, _ int64) Node {
			return b.bartLayer(x, Attention{Dim: dim, Heads: b.Size("attention_heads"), Clamped: true}, "ffn_dim", "activation_function", "dropout", memory)
		}}
}
