package hf

var _ = define(Family{Type: "clip", Default: "CLIPModel", Classes: clips("CLIP", "clip")})

// clips are the classes of two towers, one for images and one for texts, that meet in one space.
func clips(name, modelType string) map[string]func(*Build) {
	vision := func(b *Build) *Build {
		return b.With(b.tower("vision_config", modelType+"_vision_model")).Scope("vision_model")
	}
	text := func(b *Build) *Build {
		return b.With(b.tower("text_config", modelType+"_text_model")).Scope("text_model")
	}
	return map[string]func(*Build){
		name + "ForImageClassification": func(b *Build) {
			v := vision(b)
			v.HeadsDivide()
			text(b).HeadsDivide() // its config is made and looked at, even if no text is read
			x, _ := v.clipVision()
			b.Labels(b.Mean(b.Add("slice", "", Args{Int("dim", 1), Int("start", 1)}, x), "", 1), "classifier", v.Size("hidden_size"))
		},
		name + "Model": func(b *Build) {
			v, t, dim := vision(b), text(b), b.Size("projection_dim")
			v.HeadsDivide()
			t.HeadsDivide()
			_, image := v.clipVision()
			image = b.Linear(image, "visual_projection", v.Size("hidden_size"), dim, false)
			words := b.Linear(t.textTower(true), "text_projection", t.Size("hidden_size"), dim, false)
			y := b.Add("sum", "", Args{Int("dim", 1)}, b.cosines(words, image))
			b.Output(b.Add("multiply", "logits_per_text", nil, y, b.Add("exp", "", nil, b.Param(y, "logit_scale"))))
		},
	}
}

// tower is the config of a part. The old spelling of it, with _dict behind, goes before the new one.
func (c *Config) tower(key, modelType string) *Config {
	if old := key + "_dict"; c.Given(old) {
		return c.Sub(old, modelType)
	}
	return c.Sub(key, modelType)
}

// cosines multiplies two vectors of length 1, feature by feature. Texts and images meet pair by pair here: that each meets all
// of the batch is left out, since no shape holds the batch twice.
func (b *Build) cosines(text, image Node) Node {
	return b.Add("multiply", "", nil, b.unit(text), b.unit(image))
}

// clipVision gives the positions, and what the first of them becomes.
func (b *Build) clipVision() (x, pooled Node) {
	dim, e, patch := b.Size("hidden_size"), b.Scope("embeddings"), b.PairOf("patch_size")
	image := b.Pixels()
	x = e.patchMap(image, "patch_embedding", dim, patch, false)
	x = e.Add("classToken", "class_embedding", Args{Int("embedDim", dim)}, x)
	e.Tensor("class_embedding", dim)
	x = e.Positions(x, "position_embedding", (image.H/patch[0])*(image.W/patch[1])+1, dim)
	x = b.clipLayers(b.LayerNorm(x, "pre_layrnorm", dim, true), dim, false)
	return x, b.LayerNorm(b.First(x), "post_layernorm", dim, true)
}

// textTower gives what the last position of a text becomes, where its end is.
func (b *Build) textTower(causal bool) Node {
	dim, e, rows := b.Size("hidden_size"), b.Scope("embeddings"), b.Size("max_position_embeddings")
	x := e.Embedding((&Build{Config: b.Config, state: b.state}).Tokens("input_ids", rows), "token_embedding", b.Size("vocab_size"), dim)
	x = b.clipLayers(e.Positions(x, "position_embedding", rows, dim), dim, causal)
	return b.Add("select", "", Args{Int("index", -1)}, b.LayerNorm(x, "final_layer_norm", dim, true))
}

func (b *Build) clipLayers(x Node, dim int64, causal bool) Node {
	heads := b.Size("num_attention_heads")
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("encoder.layers.%d", i)
		y := l.LayerNorm(x, "layer_norm1", dim, true)
		if dim%heads == 0 {
			y = l.Attend(y, "self_attn", Attention{Dim: dim, Heads: heads, Bias: true, OutBias: true, Causal: causal, O: "out_proj"})
		} else { // the maps keep all features, and the heads do not fit them when it runs
			a := l.Scope("self_attn")
			y = a.Core(a.Linear(y, "q_proj", dim, dim, true), a.Linear(y, "k_proj", dim, dim, true), a.Linear(y, "v_proj", dim, dim, true), heads, heads, causal)
			y = a.Linear(y, "out_proj", dim, dim, true)
		}
		x = l.Residual(x, y)
		x = l.Residual(x, l.Scope("mlp").MLP(l.LayerNorm(x, "layer_norm2", dim, true), "fc1", "fc2", dim, b.Size("intermediate_size"), true, "hidden_act"))
	}
	return x
}
