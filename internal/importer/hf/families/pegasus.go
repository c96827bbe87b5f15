package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "pegasus", Default: "PegasusForConditionalGeneration",
	Classes: stack.Seq2SeqClasses("Pegasus", pegasus)})

// pegasus has fixed positions, whose table transformers keeps as a frozen weight.
func pegasus(*Build) stack.Seq2Seq {
	return stack.Seq2Seq{Pre: true, LastNorm: true, Positions: stack.FixedPositions}
}
