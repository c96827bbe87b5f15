package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "fuyu", Default: "FuyuForCausalLM", Classes: map[string]func(*Build){
	"FuyuForCausalLM": func(b *Build) { fuyu(b, "model.", "lm_head") },
	"FuyuModel":       func(b *Build) { fuyu(b, "", "") },
}})

// fuyu is Persimmon's text model; patches of a picture are projected into its text by one linear layer, without an
// image model.
func fuyu(b *Build, prefix, head string) {
	text := b.Config
	if b.Has("text_config") {
		text = b.Sub("text_config", "persimmon")
	}
	if t := text.NamedType(); t != "" && t != "persimmon" && t != "fuyu" {
		config.Fail(config.CodeArchitecture, text.At("model_type"),
			"a text model of type %q is not modelled for fuyu; modelled is persimmon", t)
	}
	t, patch := b.With(text), b.Size("patch_size")
	side, pixels := b.Size("image_size")/patch, build.Product(b, patch, patch, b.Size("num_channels"))
	patches := b.Input("image_patches", max(side*side, 1), pixels)
	features := b.Linear(patches, prefix+"vision_embed_tokens", pixels, b.Size("hidden_size"), true)
	d := persimmon(t)
	d.Embedded = func(m *Build, x Node) Node { return stack.Scatter(m, x, features, t.Size("hidden_size")) }
	stack.Multimodal(b, text, d, prefix+"language_model", head)
}
