package hf

var _ = define(Family{Type: "blenderbot", Default: "BlenderbotForConditionalGeneration", Classes: seq2seq("Blenderbot", func(*Build) Seq2Seq {
	return Seq2Seq{Pre: true, LastNorm: true, Positions: tablePositions}
})})
