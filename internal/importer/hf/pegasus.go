package hf

var _ = define(Family{Type: "pegasus", Default: "PegasusForConditionalGeneration", Classes: seq2seq("Pegasus", pegasus)})

// pegasus has fixed positions, whose table transformers keeps as a frozen weight.
func pegasus(*Build) Seq2Seq { return Seq2Seq{Pre: true, LastNorm: true, Positions: fixedPositions} }
