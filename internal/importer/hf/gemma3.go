package hf

var _ = define(Family{Type: "gemma3", Default: "Gemma3ForConditionalGeneration", Classes: map[string]func(*Build){
	"Gemma3ForConditionalGeneration": func(b *Build) { b.Output(b.gemma3("model.", "lm_head")) },
	"Gemma3Model":                    func(b *Build) { b.Output(b.gemma3("", "")) },
}})

// gemma3 is Gemma 3's text model behind SigLIP's image model.
func (b *Build) gemma3(prefix, head string) Node {
	text, vision := b.Sub("text_config", "gemma3_text"), b.Sub("vision_config", "siglip_vision_model")
	t, v := b.With(text), b.Scope("%svision_tower", prefix).With(vision)
	patches := v.siglipTower(b.pixels(vision))
	features, pooled := b.Scope("%smulti_modal_projector", prefix).gemma3Projector(patches, vision.Size("hidden_size"), text.Size("hidden_size"), vision.Size("image_size")/vision.Size("patch_size"))
	d := gemma3Text(t)
	d.Embedded = func(m *Build, x Node) Node {
		if m.leaves(x, features) || !pooled {
			return x
		}
		return m.scatter(x, features, text.Size("hidden_size"))
	}
	return b.multimodalLogits(text, d, prefix+"language_model", head)
}

// gemma3Projector averages squares of patches until mm_tokens_per_image are left. Where there are fewer patches than that,
// the model takes no pictures, only text.
func (b *Build) gemma3Projector(x Node, from, to, side int64) (features Node, pooled bool) {
	tokens := int64(1)
	for (tokens+1)*(tokens+1) <= b.Size("mm_tokens_per_image") {
		tokens++
	}
	if kernel := side / tokens; kernel > 0 {
		x = b.Add("unflatten", "", Args{Int("dim", 1), Ints("unflattenedSize", side, side)}, x)
		x = b.Add("permute", "", Args{Ints("dims", 0, 3, 1, 2)}, x)
		x = b.Add("avgpool2d", "avg_pool", Args{Int("kernelSize", kernel), Int("stride", kernel)}, x)
		x = b.Add("flatten", "", Args{Int("startDim", 2)}, x)
		x, pooled = b.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, x), true
	}
	x = b.RMSNorm(x, "mm_soft_emb_norm", from)
	features = b.Add("linear", "mm_input_projection_weight", Args{Int("inFeatures", from), Int("outFeatures", to), Flag("bias", false)}, x)
	b.Tensor("mm_input_projection_weight", from, to)
	return features, pooled
}
