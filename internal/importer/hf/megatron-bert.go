package hf

var _ = define(Family{Type: "megatron-bert", Default: "MegatronBertForMaskedLM",
	Classes: Encoder{Prefix: "bert", Model: Bert{NoNorm: true, Pre: true, AttnNorm: "ln", FeedNorm: "ln", Last: "encoder.ln"}.model,
		Pool: bertPool, Words: bertWords, Whole: pooledClass}.classes("MegatronBert", masked, nextOne, sequences, tokens, answers)})
