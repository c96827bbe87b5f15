package hf

var _ = define(Family{Type: "big_bird", Default: "BigBirdForMaskedLM",
	Classes: Encoder{Prefix: "bert", Model: bigBird.model, Pool: directPool, Pooled: true, Words: bertWords, Whole: frontClass("")}.
		classes("BigBird", masked, nextOne, sequences, tokens)})

// bigBird is BERT whose attention skips blocks of the scores of long texts, which the graph does not tell apart from full
// attention.
var bigBird = Bert{Bias: "use_bias"}
