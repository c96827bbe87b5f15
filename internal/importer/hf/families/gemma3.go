package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "gemma3", Default: "Gemma3ForConditionalGeneration",
	Classes: map[string]func(*Build){
		"Gemma3ForConditionalGeneration": func(b *Build) { b.Output(gemma3(b, "model.", "lm_head")) },
		"Gemma3Model":                    func(b *Build) { b.Output(gemma3(b, "", "")) },
	}})

// gemma3 is Gemma 3's text model behind SigLIP's image model.
func gemma3(b *Build, prefix, head string) Node {
	text, visionConfig := b.Sub("text_config", "gemma3_text"), b.Sub("vision_config", "siglip_vision_model")
	t, v := b.With(text), b.Scope("%svision_tower", prefix).With(visionConfig)
	patches := vision.SiglipTower(v, vision.TowerPixels(b, visionConfig))
	features, pooled := gemma3Projector(b.Scope("%smulti_modal_projector", prefix), patches,
		visionConfig.Size("hidden_size"), text.Size("hidden_size"),
		visionConfig.Size("image_size")/visionConfig.Size("patch_size"))
	d := gemma3Text(t)
	d.Embedded = func(m *Build, x Node) Node {
		if build.LeaveOut(m, x, features) || !pooled {
			return x
		}
		return stack.Scatter(m, x, features, text.Size("hidden_size"))
	}
	return stack.MultimodalLogits(b, text, d, prefix+"language_model", head)
}

// gemma3Projector averages squares of patches until mm_tokens_per_image are left. Where there are fewer patches than
// that, the model takes no pictures, only text.
func gemma3Projector(b *Build, x Node, from, to, side int64) (features Node, pooled bool) {
	tokens := int64(1)
	for (tokens+1)*(tokens+1) <= b.Size("mm_tokens_per_image") {
		tokens++
	}
	if kernel := side / tokens; kernel > 0 {
		x = b.Add("unflatten", "", Args{build.Int("dim", 1), build.Ints("unflattenedSize", side, side)}, x)
		x = b.Add("permute", "", Args{build.Ints("dims", 0, 3, 1, 2)}, x)
		x = b.Add("avgpool2d", "avg_pool", Args{build.Int("kernelSize", kernel), build.Int("stride", kernel)}, x)
		x = b.Flat(x)
		x, pooled = b.Swap(x), true
	}
	x = b.RMSNorm(x, "mm_soft_emb_norm", from)
	features = b.Add("linear", "mm_input_projection_weight",
		Args{build.Int("inFeatures", from), build.Int("outFeatures", to), build.Flag("bias", false)}, x)
	b.Tensor("mm_input_projection_weight", from, to)
	return features, pooled
}
