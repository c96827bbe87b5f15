package hf

var _ = define(Family{Type: "biogpt", Default: "BioGptForCausalLM", Classes: topped("BioGptForCausalLM", "BioGptModel", bioGPT,
	scored("BioGptForSequenceClassification"), labelled("BioGptForTokenClassification"))})

// bioGPT has learned positions with two unused rows.
func bioGPT(b *Build) Decoder {
	b.divides("hidden_size", "num_attention_heads")
	dim := b.Size("hidden_size")
	return Decoder{Prefix: "biogpt", Norm: "layer_norm", Head: "output_projection", FinalNorm: lastLayerNorm,
		Embedded: func(b *Build, x Node) Node {
			return b.Positions(x, "embed_positions", b.Size("max_position_embeddings")+2, dim)
		},
		Layer: func(b *Build, x Node, _ int64) Node {
			return b.bartLayer(x, Attention{Dim: dim, Heads: b.Size("num_attention_heads")}, "intermediate_size", "hidden_act", "", 0)
		}}
}
