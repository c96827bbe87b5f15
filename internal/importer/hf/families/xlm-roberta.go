package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "xlm-roberta", Default: "XLMRobertaForMaskedLM",
	Classes: roberta("roberta", Bert{Padded: true}, stack.FirstWords).Classes("XLMRoberta", robertaHeads...)})
