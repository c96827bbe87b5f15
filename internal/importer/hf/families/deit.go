package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "deit", Default: "DeiTForImageClassification",
	Classes: map[string]func(*Build){
		"DeiTForImageClassification": func(b *Build) {
			vision.Labels(b, b.First(vit(b.Scope("deit"), 2)), "classifier", b.Size("hidden_size"))
		},
		"DeiTModel": func(b *Build) { b.Output(vitPooler(b, vit(b, 2))) },
		"DeiTForImageClassificationWithTeacher": func(b *Build) {
			x, dim := vit(b.Scope("deit"), 2), b.Size("hidden_size")
			class := b.Linear(b.First(x), "cls_classifier", dim, b.NumLabels(), true)
			teacher := b.Linear(b.Add("select", "", Args{build.Int("index", 1)}, x), "distillation_classifier", dim,
				b.NumLabels(), true)
			b.Output(b.Mean(b.Add("stack", "", nil, class, teacher), "logits", 1))
		},
	}})
