package families

import "github.com/modelverifier/verifier/internal/importer/hf/family"

var _ = family.Define(family.Family{Type: "mt5", Default: "MT5ForConditionalGeneration",
	Classes: t5Classes("MT5", func(*Build) T5 { return T5{} })})
