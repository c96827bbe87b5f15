package hf

var _ = define(Family{Type: "mbart", Default: "MBartForConditionalGeneration", Classes: seq2seqHeads("MBart", mbart)})

// mbart is BART with the norms ahead of the branches, and one behind the last layer.
func mbart(*Build) Seq2Seq {
	return Seq2Seq{Pre: true, EmbedNorm: true, LastNorm: true, Positions: offsetPositions}
}
