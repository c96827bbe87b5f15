package hf

var _ = define(Family{Type: "blenderbot", Default: "BlenderbotForConditionalGeneration", Classes: seq2seq("Blenderbot", pegasus)})
