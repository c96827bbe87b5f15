package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "data2vec-text", Default: "Data2VecTextForMaskedLM",
	Classes: roberta("data2vec_text", Bert{Padded: true}, stack.RobertaWords).Classes("Data2VecText", robertaHeads...)})
