package hf

var _ = define(Family{Type: "rembert", Default: "RemBertForMaskedLM",
	Classes: Encoder{Prefix: "rembert", Model: Bert{Width: "input_embedding_size", Enter: "encoder.embedding_hidden_mapping_in", Always: true}.model,
		Pool: bertPool, Words: remBertWords, Whole: pooledClass}.classes("RemBert", masked, nextOne, sequences, tokens, answers)})

// remBertWords has a width of its own, and is never tied.
func remBertWords(b *Build, x, table Node) Node {
	p, width := b.Scope("cls.predictions"), b.Size("output_embedding_size")
	x = p.Activation(p.Linear(x, "dense", b.Size("hidden_size"), width, true), "hidden_act")
	return p.LMHead(p.LayerNorm(x, "LayerNorm", width, true), "decoder", width, b.Size("vocab_size"), true, table, false)
}
