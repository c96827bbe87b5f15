package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "megatron-bert", Default: "MegatronBertForMaskedLM",
	Classes: stack.Encoder{Prefix: "bert", Model: Bert{NoNorm: true, Pre: true, AttnNorm: "ln", FeedNorm: "ln",
		Last: "encoder.ln"}.model,
		Pool: stack.BertPool, Words: stack.BertWords, Whole: stack.PooledClass}.Classes("MegatronBert", stack.MaskedLM,
		stack.ForCausalLM, stack.SequenceClassification, stack.TokenClassification, stack.QuestionAnswering)})
