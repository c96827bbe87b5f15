package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

// The text tower of CLIP by itself, as pipelines that draw images have it.
var _ = family.Define(family.Family{Type: "clip_text_model", Default: "CLIPTextModel", Classes: map[string]func(*Build){
	"CLIPTextModel": func(b *Build) {
		vision.HeadsDivide(b)
		b.Output(textPositions(b.Scope("text_model"), true))
	},
	"CLIPTextModelWithProjection": func(b *Build) {
		vision.HeadsDivide(b)
		x := b.Add("select", "", Args{build.Int("index", -1)}, textPositions(b.Scope("text_model"), true))
		b.Output(b.Linear(x, "text_projection", b.Size("hidden_size"), b.Size("projection_dim"), false))
	},
}})
