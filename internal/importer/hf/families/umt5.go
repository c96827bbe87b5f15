package families

import "github.com/modelverifier/verifier/internal/importer/hf/family"

var _ = family.Define(family.Family{Type: "umt5", Default: "UMT5ForConditionalGeneration",
	Classes: t5Classes("UMT5", func(*Build) T5 { return T5{EachLayer: true} })})
