package hf

var _ = define(Family{Type: "gpt_bigcode", Default: "GPTBigCodeForCausalLM", Classes: topped("GPTBigCodeForCausalLM", "GPTBigCodeModel", gptBigCode,
	scored("GPTBigCodeForSequenceClassification"), labelled("GPTBigCodeForTokenClassification"))})

// gptBigCode is GPT-2 with ordinary linear maps, and one head of keys and values for all heads of queries.
func gptBigCode(b *Build) Decoder {
	if b.Bool("multi_query") && b.Bool("add_cross_attention") {
		fail(CodeContradiction, b.at("add_cross_attention"), "is true and so is multi_query, which attention to an encoder cannot have")
	}
	return gptWithMemory(b, func(b *Build, x Node, name string, in, out int64) Node { return b.Linear(x, name, in, out, true) })
}
