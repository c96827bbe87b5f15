package families

import "github.com/modelverifier/verifier/internal/importer/hf/family"

var _ = family.Define(family.Family{Type: "convnextv2", Default: "ConvNextV2ForImageClassification",
	Classes: convNext("ConvNextV2", "convnextv2", true)})
