package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "siglip", Default: "SiglipModel",
	Classes: siglips("Siglip", "siglip", siglipPatches)})

// siglips are the classes of two towers whose images are pooled by a trained query.
func siglips(name, modelType string, patches func(*Build) Node) map[string]func(*Build) {
	visionTower := func(b *Build) *Build {
		return b.With(b.Sub("vision_config", modelType+"_vision_model")).Scope("vision_model")
	}
	return map[string]func(*Build){
		name + "ForImageClassification": func(b *Build) {
			v := visionTower(b)
			x, _ := siglipVision(v, patches)
			vision.Labels(b, b.Mean(x, "", 1), "classifier", v.Size("hidden_size"))
		},
		name + "Model": func(b *Build) {
			v, t := visionTower(b), b.With(b.Sub("text_config", modelType+"_text_model")).Scope("text_model")
			_, image := siglipVision(v, patches)
			t.Divides("hidden_size", "num_attention_heads")
			text := textTower(t, false)
			text = t.Linear(text, "head", t.Size("hidden_size"), t.SizeOr("projection_size", t.Size("hidden_size")),
				true)
			y := b.Add("sum", "", Args{build.Int("dim", 1), build.Flag("keepDim", true)}, cosines(b, text, image))
			y = b.Add("multiply", "", nil, y, b.Add("exp", "", nil, b.Param(y, "logit_scale", 1)))
			b.Output(b.Add("add", "logits_per_text", nil, y, b.Param(y, "logit_bias", 1)))
		},
	}
}

func siglipPatches(b *Build) Node {
	dim, patch, image := b.Size("hidden_size"), b.PairOf("patch_size"), vision.Pixels(b)
	x := patchProjection(b, image, "patch_embedding", dim, patch, true)
	return b.Positions(x, "position_embedding", (image.H/patch[0])*(image.W/patch[1]), dim)
}

// siglipVision gives the positions, and what a trained query makes of them.
func siglipVision(b *Build, patches func(*Build) Node) (x, pooled Node) {
	b.Divides("hidden_size", "num_attention_heads")
	dim := b.Size("hidden_size")
	x = clipLayers(b, patches(b.Scope("embeddings")), dim, false)
	x = b.LayerNorm(x, "post_layernorm", dim, true)
	if b.Given("vision_use_head") && !b.Bool("vision_use_head") {
		return x, b.Mean(x, "", 1)
	}
	return x, vision.SiglipHead(b.Scope("head"), x, dim)
}
