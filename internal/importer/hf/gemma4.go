package hf

var _ = define(Family{Type: "gemma4", Default: "Gemma4ForConditionalGeneration", Classes: map[string]func(*Build){
	"Gemma4ForConditionalGeneration": func(b *Build) { b.gemma4Model("gemma4_text", true, "model.", "lm_head") },
	"Gemma4Model":                    func(b *Build) { b.gemma4Model("gemma4_text", true, "", "") },
}})

// gemma4Model is the text model of a Gemma 4 that has neither an image nor an audio model: both are null in its config by
// default.
func (b *Build) gemma4Model(text string, extras bool, prefix, head string) {
	for _, part := range []string{"vision_config", "audio_config"} {
		if b.Has(part) {
			fail(CodeArchitecture, b.at(part), "the part that this describes is not modelled; without it the text model is")
		}
	}
	t := b.Sub("text_config", text)
	b.multimodal(t, gemma4Text(b.With(t), extras), prefix+"language_model", head)
}
