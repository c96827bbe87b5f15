package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "gpt_bigcode", Default: "GPTBigCodeForCausalLM",
	Classes: stack.NamedClasses("GPTBigCodeForCausalLM", "GPTBigCodeModel", gptBigCode,
		stack.ScoreHead("GPTBigCodeForSequenceClassification"), stack.TokenHead("GPTBigCodeForTokenClassification"))})

// gptBigCode is GPT-2 with ordinary linear layers, and one head of keys and values for all heads of queries.
func gptBigCode(b *Build) stack.Decoder {
	if b.Bool("multi_query") && b.Bool("add_cross_attention") {
		config.Fail(config.CodeContradiction, b.At("add_cross_attention"),
			"is true and so is multi_query, which attention to an encoder cannot have")
	}
	return gptWithMemory(b, func(b *Build, x Node, name string, in,
		out int64) Node {
		return b.Linear(x, name, in, out, true)
	})
}
