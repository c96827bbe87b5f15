package hf

var _ = define(Family{Type: "dinov2_with_registers", Default: "Dinov2WithRegistersForImageClassification",
	Classes: dinos("Dinov2WithRegisters", "dinov2_with_registers", true)})
