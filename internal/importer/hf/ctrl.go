package hf

var _ = define(Family{Type: "ctrl", Default: "CTRLLMHeadModel", Classes: topped("CTRLLMHeadModel", "CTRLModel", ctrl,
	head{"CTRLForSequenceClassification", "classifier", (*Build).NumLabels, false})})

// ctrl has fixed waves for positions and a network of ReLU.
func ctrl(b *Build) Decoder {
	dim := b.Size("n_embd")
	return Decoder{Prefix: "transformer", Embed: "w", Layers: "h", Norm: "layernorm", FinalNorm: lastLayerNorm, HeadBias: true,
		Embedded: func(b *Build, x Node) Node { return b.waves(x, "pos_encoding", b.Size("n_positions"), dim) },
		Layer: func(b *Build, x Node, _ int64) Node {
			a := Attention{Dim: dim, Heads: b.Size("n_head"), Causal: true, Q: "Wq", K: "Wk", V: "Wv", O: "dense"}.biased(true)
			x = b.Residual(x, b.attendSquare(b.LayerNorm(x, "layernorm1", dim, true), "multi_head_attention", a))
			h := b.LayerNorm(x, "layernorm2", dim, true)
			return b.Residual(x, b.Scope("ffn").plain(h, "0", "2", dim, b.Size("dff"), true, "relu"))
		}}
}
