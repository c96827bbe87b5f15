package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "bert-generation", Default: "BertGenerationDecoder",
	Classes: map[string]func(*Build){
		"BertGenerationDecoder": bertGeneration.BuildWords,
		"BertGenerationEncoder": bertGeneration.BuildBare,
	}})

// bertGeneration is BERT without segments, whose head is the projection to the words alone.
var bertGeneration = stack.Encoder{Prefix: "bert", Model: Bert{NoTypes: true}.model,
	Words: func(b *Build, x, table Node) Node {
		return stack.Vocabulary(b.Scope("lm_head"), x, b.Size("hidden_size"), table)
	}}
