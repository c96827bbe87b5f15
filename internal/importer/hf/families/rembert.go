package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "rembert", Default: "RemBertForMaskedLM",
	Classes: stack.Encoder{Prefix: "rembert",
		Model: Bert{Width: "input_embedding_size", Enter: "encoder.embedding_hidden_mapping_in", Always: true}.model,
		Pool:  stack.BertPool, Words: remBertWords, Whole: stack.PooledClass}.Classes("RemBert", stack.MaskedLM,
		stack.ForCausalLM, stack.SequenceClassification, stack.TokenClassification, stack.QuestionAnswering)})

// remBertWords has a width of its own, and is never tied.
func remBertWords(b *Build, x, table Node) Node {
	p, width := b.Scope("cls.predictions"), b.Size("output_embedding_size")
	x = p.Activation(p.Linear(x, "dense", b.Size("hidden_size"), width, true), "hidden_act")
	return stack.LMHead(p, p.LayerNorm(x, "LayerNorm", width, true), "decoder", width, b.Size("vocab_size"), true,
		table, false)
}
