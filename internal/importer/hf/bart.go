package hf

var _ = define(Family{Type: "bart", Default: "BartForConditionalGeneration", Classes: seq2seqHeads("Bart", bart)})

// bart normalises behind each sum, and behind the embedding.
func bart(*Build) Seq2Seq { return Seq2Seq{EmbedNorm: true, Positions: offsetPositions} }
