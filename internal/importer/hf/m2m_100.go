package hf

var _ = define(Family{Type: "m2m_100", Default: "M2M100ForConditionalGeneration", Classes: without(seq2seq("M2M100", m2m100), "M2M100ForCausalLM")})

// m2m100 has fixed positions that are no weights.
func m2m100(*Build) Seq2Seq { return Seq2Seq{Pre: true, LastNorm: true, Positions: heldSinusoids} }

// without leaves out a class that transformers does not have.
func without(classes map[string]func(*Build), name string) map[string]func(*Build) {
	delete(classes, name)
	return classes
}
