package hf

var _ = define(Family{Type: "vit_msn", Default: "ViTMSNForImageClassification", Classes: map[string]func(*Build){
	"ViTMSNForImageClassification": func(b *Build) { b.Labels(b.First(b.Scope("vit").vit(1)), "classifier", b.Size("hidden_size")) },
	"ViTMSNModel":                  func(b *Build) { b.Output(b.vit(1)) },
}})
