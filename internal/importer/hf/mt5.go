package hf

var _ = define(Family{Type: "mt5", Default: "MT5ForConditionalGeneration", Classes: t5Classes("MT5", func(*Build) T5 { return T5{} })})
