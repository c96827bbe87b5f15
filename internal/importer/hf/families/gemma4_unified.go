package families

import "github.com/modelverifier/verifier/internal/importer/hf/family"

var _ = family.Define(family.Family{Type: "gemma4_unified", Default: "Gemma4UnifiedForConditionalGeneration",
	Classes: map[string]func(*Build){
		"Gemma4UnifiedForConditionalGeneration": func(b *Build) {
			gemma4Model(b, "gemma4_unified_text", false, "model.",
				"lm_head")
		},
		"Gemma4UnifiedModel": func(b *Build) { gemma4Model(b, "gemma4_unified_text", false, "", "") },
	}})
