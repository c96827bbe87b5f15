package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "m2m_100", Default: "M2M100ForConditionalGeneration",
	Classes: without(stack.Seq2SeqClasses("M2M100", m2m100), "M2M100ForCausalLM")})

// m2m100 has fixed positions that are no weights.
func m2m100(*Build) stack.Seq2Seq {
	return stack.Seq2Seq{Pre: true, LastNorm: true, Positions: stack.HeldSinusoidPositions}
}

// without leaves out a class that transformers does not have.
func without(classes map[string]func(*Build), name string) map[string]func(*Build) {
	delete(classes, name)
	return classes
}
