package hf

var _ = define(Family{Type: "plbart", Default: "PLBartForConditionalGeneration", Classes: seq2seq("PLBart", bart)})
