package hf

var _ = define(Family{Type: "deit", Default: "DeiTForImageClassification", Classes: map[string]func(*Build){
	"DeiTForImageClassification": func(b *Build) { b.Labels(b.First(b.Scope("deit").vit(2)), "classifier", b.Size("hidden_size")) },
	"DeiTModel":                  func(b *Build) { b.Output(b.vitPooler(b.vit(2))) },
	"DeiTForImageClassificationWithTeacher": func(b *Build) {
		x, dim := b.Scope("deit").vit(2), b.Size("hidden_size")
		class := b.Linear(b.First(x), "cls_classifier", dim, b.NumLabels(), true)
		teacher := b.Linear(b.Add("select", "", Args{Int("index", 1)}, x), "distillation_classifier", dim, b.NumLabels(), true)
		b.Output(b.Mean(b.Add("stack", "", nil, class, teacher), "logits", 1))
	},
}})
