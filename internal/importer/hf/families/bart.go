package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "bart", Default: "BartForConditionalGeneration",
	Classes: stack.Seq2SeqHeads("Bart", bart)})

// bart normalises behind each sum, and behind the embedding.
func bart(*Build) stack.Seq2Seq {
	return stack.Seq2Seq{EmbedNorm: true, Positions: stack.OffsetPositions}
}
