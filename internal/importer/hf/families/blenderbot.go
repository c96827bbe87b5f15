package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "blenderbot", Default: "BlenderbotForConditionalGeneration",
	Classes: stack.Seq2SeqClasses("Blenderbot", func(*Build) stack.Seq2Seq {
		return stack.Seq2Seq{Pre: true, LastNorm: true, Positions: stack.TablePositions}
	})})
