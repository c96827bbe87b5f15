package hf

var _ = define(Family{Type: "fuyu", Default: "FuyuForCausalLM", Classes: map[string]func(*Build){
	"FuyuForCausalLM": func(b *Build) { b.fuyu("model.", "lm_head") },
	"FuyuModel":       func(b *Build) { b.fuyu("", "") },
}})

// fuyu is Persimmon's text model; patches of a picture are mapped into its text by one linear map, without an image model.
func (b *Build) fuyu(prefix, head string) {
	text := b.Config
	if b.Has("text_config") {
		text = b.Sub("text_config", "persimmon")
	}
	if t := text.ModelType(); t != "" && t != "persimmon" && t != "fuyu" {
		fail(CodeArchitecture, text.at("model_type"), "a text model of type %q is not modelled for fuyu; modelled is persimmon", t)
	}
	t, patch := b.With(text), b.Size("patch_size")
	side, pixels := b.Size("image_size")/patch, b.product(patch, patch, b.Size("num_channels"))
	patches := b.Input("image_patches", max(side*side, 1), pixels)
	features := b.Linear(patches, prefix+"vision_embed_tokens", pixels, b.Size("hidden_size"), true)
	d := persimmon(t)
	d.Embedded = func(m *Build, x Node) Node { return m.scatter(x, features, t.Size("hidden_size")) }
	b.multimodal(text, d, prefix+"language_model", head)
}
