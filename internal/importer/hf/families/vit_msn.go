package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "vit_msn", Default: "ViTMSNForImageClassification",
	Classes: map[string]func(*Build){
		"ViTMSNForImageClassification": func(b *Build) {
			vision.Labels(b, b.First(vit(b.Scope("vit"), 1)), "classifier",
				b.Size("hidden_size"))
		},
		"ViTMSNModel": func(b *Build) { b.Output(vit(b, 1)) },
	}})
