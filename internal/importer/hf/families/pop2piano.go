package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
)

var _ = family.Define(family.Family{Type: "pop2piano", Default: "Pop2PianoForConditionalGeneration",
	Classes: without(without(t5Classes("Pop2Piano", pop2piano), "Pop2PianoModel"), "Pop2PianoEncoderModel")})

// pop2piano reads a spectrogram of as many bins as the model is wide, behind a vector of the composer whose style is
// asked for.
func pop2piano(*Build) T5 {
	return T5{NoHeadTie: true, Ahead: 1, Source: func(b *Build) Node {
		dim := b.Size("d_model")
		features := b.Input("input_features", b.Length(b.MaxPositions()), dim)
		composer := b.Scope("mel_conditioner").Embedding(b.Input("composer", 1), "embedding",
			b.Size("composer_vocab_size"), dim)
		return b.Add("concatenate", "mel_conditioner", Args{build.Int("dim", 1)}, composer, features)
	}}
}
