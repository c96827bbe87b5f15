package hf

var _ = define(Family{Type: "flaubert", Default: "FlaubertWithLMHeadModel", Classes: xlms("Flaubert", true)})
