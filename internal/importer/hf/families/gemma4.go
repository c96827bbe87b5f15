package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "gemma4", Default: "Gemma4ForConditionalGeneration",
	Classes: map[string]func(*Build){
		"Gemma4ForConditionalGeneration": func(b *Build) { gemma4Model(b, "gemma4_text", true, "model.", "lm_head") },
		"Gemma4Model":                    func(b *Build) { gemma4Model(b, "gemma4_text", true, "", "") },
	}})

// gemma4Model is the text model of a Gemma 4 that has neither an image nor an audio model: both are null in its
// config by default.
func gemma4Model(b *Build, text string, extras bool, prefix, head string) {
	for _, part := range []string{"vision_config", "audio_config"} {
		if b.Has(part) {
			config.Fail(config.CodeArchitecture, b.At(part),
				"the part that this describes is not modelled; without it the text model is")
		}
	}
	t := b.Sub("text_config", text)
	stack.Multimodal(b, t, gemma4Text(b.With(t), extras), prefix+"language_model", head)
}
