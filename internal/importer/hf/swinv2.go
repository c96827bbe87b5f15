package hf

var _ = define(Family{Type: "swinv2", Default: "Swinv2ForImageClassification", Classes: swins("Swinv2", "swinv2", Swin{
	Q: "self.query", K: "self.key", V: "self.value", O: "output.dense", Up: "intermediate.dense", Down: "output.dense", ExtraRow: true, Second: true})})
