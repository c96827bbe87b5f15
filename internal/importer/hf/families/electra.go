package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "electra", Default: "ElectraForMaskedLM",
	Classes: stack.Encoder{Prefix: "electra",
		Model: Bert{Width: "embedding_size", Enter: "embeddings_project", Free: true}.model, Words: electraWords,
		Whole: stack.FrontClass("gelu")}.
		Classes("Electra", stack.MaskedLM, stack.ForCausalLM, stack.SequenceClassification, stack.TokenClassification,
			stack.QuestionAnswering)})

// electraWords goes back to the width of the embedding first. The head has the only bias, tied or not.
func electraWords(b *Build, x, table Node) Node {
	p, dim, width := b.Scope("generator_predictions"), b.Size("hidden_size"), b.Size("embedding_size")
	x = p.Act(p.Linear(x, "dense", dim, width, true), "gelu", "hidden_act")
	x = p.LayerNorm(x, "LayerNorm", width, true)
	return stack.LMHead(b, x, "generator_lm_head", width, b.Size("vocab_size"), true, table,
		b.Bool("tie_word_embeddings"))
}
