package families

import "github.com/modelverifier/verifier/internal/importer/hf/family"

var _ = family.Define(family.Family{Type: "swinv2", Default: "Swinv2ForImageClassification",
	Classes: swins("Swinv2", "swinv2", Swin{
		Q: "self.query", K: "self.key", V: "self.value", O: "output.dense", Up: "intermediate.dense",
		Down: "output.dense", ExtraRow: true, Second: true})})
