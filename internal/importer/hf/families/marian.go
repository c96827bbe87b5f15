package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "marian", Default: "MarianMTModel", Classes: map[string]func(*Build){
	"MarianMTModel": func(b *Build) { stack.ConditionalGeneration(b, marian(b)) },
	"MarianForCausalLM": func(b *Build) {
		stack.DecoderAlone(b, stack.Seq2Seq{Positions: stack.FixedPositions, Target: "decoder_vocab_size"})
	},
	"MarianModel": stack.Seq2SeqClasses("Marian", marian)["MarianModel"],
}})

// marian can have a vocabulary of its own in the decoder.
func marian(b *Build) stack.Seq2Seq {
	if b.Bool("share_encoder_decoder_embeddings") {
		return stack.Seq2Seq{Positions: stack.FixedPositions, Rows: "decoder_vocab_size"}
	}
	return stack.Seq2Seq{Positions: stack.FixedPositions, OwnTables: true, Target: "decoder_vocab_size"}
}
