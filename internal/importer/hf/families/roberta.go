package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "roberta", Default: "RobertaForMaskedLM",
	Classes: roberta("roberta", Bert{Padded: true}, stack.RobertaWords).Classes("Roberta", robertaHeads...)})

var robertaHeads = []string{stack.MaskedLM, stack.ForCausalLM, stack.SequenceClassification, stack.TokenClassification,
	stack.QuestionAnswering}

// roberta is BERT whose positions start behind the padding token.
func roberta(prefix string, s Bert, words func(b *Build, x, table Node) Node) stack.Encoder {
	return stack.Encoder{Prefix: prefix, Model: s.model, Pool: stack.BertPool, Words: words,
		Whole: stack.FrontClass("tanh")}
}
