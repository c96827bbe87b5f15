package hf

var _ = define(Family{Type: "distilbert", Default: "DistilBertForMaskedLM", Classes: distilBert()})

func distilBert() map[string]func(*Build) {
	e := Encoder{Prefix: "distilbert", Model: distilModel, Words: distilWords, Width: "dim", Whole: func(b, _ *Build, x Node) Node {
		dim := b.Size("dim")
		x = b.Add("relu", "pre_classifier", nil, b.Linear(b.front(x, "pre_classifier"), "pre_classifier", dim, dim, true))
		return b.Linear(x, "classifier", dim, b.NumLabels(), true)
	}}
	return e.classes("DistilBert", masked, sequences, tokens, answers)
}

// distilModel is BERT without segments, under names of its own.
func distilModel(b *Build) (x, table Node) {
	dim, heads, m := b.Size("dim"), b.Size("n_heads"), b.Scope("embeddings")
	if dim%heads != 0 {
		fail(CodeContradiction, b.at("n_heads"), "is %d, which does not divide dim, %d", heads, dim)
	}
	table = b.tokens(b.MaxPositions(), "embeddings.word_embeddings", dim)
	x = m.LayerNorm(m.Positions(table, "position_embeddings", b.Size("max_position_embeddings"), dim), "LayerNorm", dim, true)
	x = m.drop(x, "dropout")
	for i := range b.Int("n_layers") {
		l := b.Scope("transformer.layer.%d", i)
		y := l.Attend(x, "attention", Attention{Dim: dim, Heads: heads, Bias: true, OutBias: true, Q: "q_lin", K: "k_lin", V: "v_lin", O: "out_lin"})
		x = l.LayerNorm(l.Residual(x, y), "sa_layer_norm", dim, true)
		y = l.Scope("ffn").drop(l.Scope("ffn").MLP(x, "lin1", "lin2", dim, b.Size("hidden_dim"), true, "activation"), "dropout")
		x = l.LayerNorm(l.Residual(x, y), "output_layer_norm", dim, true)
	}
	return x, table
}

func distilWords(b *Build, x, table Node) Node {
	dim := b.Size("dim")
	x = b.Activation(b.Linear(x, "vocab_transform", dim, dim, true), "activation")
	x = b.LayerNorm(x, "vocab_layer_norm", dim, true)
	return b.LMHead(x, "vocab_projector", dim, b.Size("vocab_size"), true, table, b.Bool("tie_word_embeddings"))
}
