package hf

var _ = define(Family{Type: "gemma4_unified", Default: "Gemma4UnifiedForConditionalGeneration", Classes: map[string]func(*Build){
	"Gemma4UnifiedForConditionalGeneration": func(b *Build) { b.gemma4Model("gemma4_unified_text", false, "model.", "lm_head") },
	"Gemma4UnifiedModel":                    func(b *Build) { b.gemma4Model("gemma4_unified_text", false, "", "") },
}})
