package hf

var _ = define(Family{Type: "ijepa", Default: "IJepaForImageClassification", Classes: map[string]func(*Build){
	"IJepaForImageClassification": func(b *Build) {
		b.Labels(b.Mean(b.Scope("ijepa").vit(0), "pooler", 1), "classifier", b.Size("hidden_size"))
	},
}})
