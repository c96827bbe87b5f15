package families

import "github.com/modelverifier/verifier/internal/importer/hf/family"

var _ = family.Define(family.Family{Type: "dinov2_with_registers", Default: "Dinov2WithRegistersForImageClassification",
	Classes: dinos("Dinov2WithRegisters", "dinov2_with_registers", true)})
