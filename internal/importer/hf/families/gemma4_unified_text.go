package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "gemma4_unified_text", PerLayer: true, Default: "Gemma4UnifiedForCausalLM",
	Classes: map[string]func(*Build){
		"Gemma4UnifiedForCausalLM": func(b *Build) { stack.CausalLM(b, gemma4Text(b, false)) },
		"Gemma4UnifiedTextModel":   func(b *Build) { stack.BareModel(b, gemma4Text(b, false)) },
	}})
