package hf

var _ = define(Family{Type: "siglip", Default: "SiglipModel", Classes: siglips("Siglip", "siglip", (*Build).siglipPatches)})

// siglips are the classes of two towers whose images are pooled by a trained query.
func siglips(name, modelType string, patches func(*Build) Node) map[string]func(*Build) {
	vision := func(b *Build) *Build {
		return b.With(b.Sub("vision_config", modelType+"_vision_model")).Scope("vision_model")
	}
	return map[string]func(*Build){
		name + "ForImageClassification": func(b *Build) {
			v := vision(b)
			x, _ := v.siglipVision(patches)
			b.Labels(b.Mean(x, "", 1), "classifier", v.Size("hidden_size"))
		},
		name + "Model": func(b *Build) {
			v, t := vision(b), b.With(b.Sub("text_config", modelType+"_text_model")).Scope("text_model")
			_, image := v.siglipVision(patches)
			t.divides("hidden_size", "num_attention_heads")
			text := t.textTower(false)
			text = t.Linear(text, "head", t.Size("hidden_size"), t.SizeOr("projection_size", t.Size("hidden_size")), true)
			y := b.Add("sum", "", Args{Int("dim", 1), Flag("keepDim", true)}, b.cosines(text, image))
			y = b.Add("multiply", "", nil, y, b.Add("exp", "", nil, b.Param(y, "logit_scale", 1)))
			b.Output(b.Add("add", "logits_per_text", nil, y, b.Param(y, "logit_bias", 1)))
		},
	}
}

func (b *Build) siglipPatches() Node {
	dim, patch, image := b.Size("hidden_size"), b.PairOf("patch_size"), b.Pixels()
	x := b.patchMap(image, "patch_embedding", dim, patch, true)
	return b.Positions(x, "position_embedding", (image.H/patch[0])*(image.W/patch[1]), dim)
}

// siglipVision gives the positions, and what a trained query makes of them.
func (b *Build) siglipVision(patches func(*Build) Node) (x, pooled Node) {
	b.divides("hidden_size", "num_attention_heads")
	dim := b.Size("hidden_size")
	x = b.clipLayers(patches(b.Scope("embeddings")), dim, false)
	x = b.LayerNorm(x, "post_layernorm", dim, true)
	if b.Given("vision_use_head") && !b.Bool("vision_use_head") {
		return x, b.Mean(x, "", 1)
	}
	return x, b.Scope("head").siglipHead(x, dim)
}
