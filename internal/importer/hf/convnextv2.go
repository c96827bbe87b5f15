package hf

var _ = define(Family{Type: "convnextv2", Default: "ConvNextV2ForImageClassification", Classes: convNext("ConvNextV2", "convnextv2", true)})
