package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "mbart", Default: "MBartForConditionalGeneration",
	Classes: stack.Seq2SeqHeads("MBart", mbart)})

// mbart is BART with the norms ahead of the branches, and one behind the last layer.
func mbart(*Build) stack.Seq2Seq {
	return stack.Seq2Seq{Pre: true, EmbedNorm: true, LastNorm: true, Positions: stack.OffsetPositions}
}
