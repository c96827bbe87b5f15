package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "ernie", Default: "ErnieForMaskedLM",
	Classes: stack.Encoder{Prefix: "ernie", Model: Bert{Embed: taskTypes}.model, Pool: stack.BertPool,
		Words: stack.BertWords, Whole: stack.PooledClass}.
		Classes("Ernie", stack.MaskedLM, stack.ForCausalLM, stack.SequenceClassification, stack.TokenClassification,
			stack.QuestionAnswering)})

// taskTypes adds a vector for the task that the text belongs to.
func taskTypes(m *Build, x, _ Node) Node {
	if m.Bool("use_task_id") {
		x = nn.Segments(m, x, "task_type_embeddings", m.Size("task_type_vocab_size"), m.Size("hidden_size"))
	}
	return x
}
