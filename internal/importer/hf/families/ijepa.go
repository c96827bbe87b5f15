package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "ijepa", Default: "IJepaForImageClassification",
	Classes: map[string]func(*Build){
		"IJepaForImageClassification": func(b *Build) {
			vision.Labels(b, b.Mean(vit(b.Scope("ijepa"), 0), "pooler", 1), "classifier", b.Size("hidden_size"))
		},
	}})
