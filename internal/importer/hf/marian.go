package hf

var _ = define(Family{Type: "marian", Default: "MarianMTModel", Classes: map[string]func(*Build){
	"MarianMTModel":     func(b *Build) { b.translator(marian(b)) },
	"MarianForCausalLM": func(b *Build) { b.decoderAlone(Seq2Seq{Positions: fixedPositions, Target: "decoder_vocab_size"}) },
	"MarianModel":       seq2seq("Marian", marian)["MarianModel"],
}})

// marian can have a vocabulary of its own in the decoder.
func marian(b *Build) Seq2Seq {
	if b.Bool("share_encoder_decoder_embeddings") {
		return Seq2Seq{Positions: fixedPositions, Rows: "decoder_vocab_size"}
	}
	return Seq2Seq{Positions: fixedPositions, OwnTables: true, Target: "decoder_vocab_size"}
}
