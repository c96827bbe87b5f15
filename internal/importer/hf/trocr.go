package hf

var _ = define(Family{Type: "trocr", Default: "TrOCRForCausalLM", Classes: map[string]func(*Build){
	"TrOCRForCausalLM": func(b *Build) { b.decoderAlone(trocr(b)) },
}})

// trocr is the decoder of a model that reads images; the image's encoder may be of another width.
func trocr(b *Build) Seq2Seq {
	s := Seq2Seq{Head: "output_projection", EmbedNorm: b.Bool("layernorm_embedding"), Positions: sinusoids, Memory: "cross_attention_hidden_size"}
	if b.Bool("use_learned_position_embeddings") {
		s.Positions = offsetPositions
	}
	return s
}
