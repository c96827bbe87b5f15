package hf

var _ = define(Family{Type: "gemma4_unified_text", PerLayer: true, Default: "Gemma4UnifiedForCausalLM", Classes: map[string]func(*Build){
	"Gemma4UnifiedForCausalLM": func(b *Build) { b.languageModel(gemma4Text(b, false)) },
	"Gemma4UnifiedTextModel":   func(b *Build) { b.bareModel(gemma4Text(b, false)) },
}})
