package families

import "github.com/modelverifier/verifier/internal/importer/hf/family"

var _ = family.Define(family.Family{Type: "flaubert", Default: "FlaubertWithLMHeadModel",
	Classes: xlms("Flaubert", true)})
