package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "trocr", Default: "TrOCRForCausalLM", Classes: map[string]func(*Build){
	"TrOCRForCausalLM": func(b *Build) { stack.DecoderAlone(b, trocr(b)) },
}})

// trocr is the decoder of a model that reads images; the image's encoder may be of another width.
func trocr(b *Build) stack.Seq2Seq {
	s := stack.Seq2Seq{Head: "output_projection", EmbedNorm: b.Bool("layernorm_embedding"),
		Positions: stack.SinusoidPositions, Memory: "cross_attention_hidden_size"}
	if b.Bool("use_learned_position_embeddings") {
		s.Positions = stack.OffsetPositions
	}
	return s
}
