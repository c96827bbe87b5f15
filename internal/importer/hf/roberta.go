package hf

var _ = define(Family{Type: "roberta", Default: "RobertaForMaskedLM", Classes: roberta("roberta", Bert{Padded: true}, robertaWords).classes("Roberta", robertaHeads...)})

var robertaHeads = []string{masked, nextOne, sequences, tokens, answers}

// roberta is BERT whose positions start behind the padding token.
func roberta(prefix string, s Bert, words func(b *Build, x, table Node) Node) Encoder {
	return Encoder{Prefix: prefix, Model: s.model, Pool: bertPool, Words: words, Whole: frontClass("tanh")}
}
