package families

import "github.com/modelverifier/verifier/internal/importer/hf/family"

var _ = family.Define(family.Family{Type: "donut-swin", Default: "DonutSwinForImageClassification",
	Classes: swins("DonutSwin", "donut", Swin{
		Q: "self.query", K: "self.key", V: "self.value", O: "output.dense", Table: "self.relative_position_bias_table",
		Up: "intermediate.dense", Down: "output.dense", ExtraRow: true, NoFinalNorm: true})})
