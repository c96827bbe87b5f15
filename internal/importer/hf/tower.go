package hf

// The image towers of models that read pictures and text.

// pixels is an image as its tower's config describes it: num_channels, image_size.
func (b *Build) pixels(tower *Config) Node {
	h, w := tower.Pair("image_size")
	return (&Build{Config: tower, state: b.state}).Input("pixel_values", tower.Size("num_channels"), h, w)
}

// patches cuts an image into patches, one vector each.
func (b *Build) patches(x Node, name string, dim, patch int64, bias bool) Node {
	channels := b.Size("num_channels")
	n := b.Add("patchEmbed", name, Args{Int("inChannels", channels), Int("patchSize", patch), Int("embedDim", dim), Flag("bias", bias)}, x)
	b.weights(name, bias, dim, channels, patch, patch)
	return n
}

// towerLayer is a layer of CLIP's and SigLIP's image encoders.
func (b *Build) towerLayer(x Node) Node {
	dim := b.Size("hidden_size")
	b.divides("hidden_size", "num_attention_heads")
	h := b.LayerNorm(x, "layer_norm1", dim, true)
	x = b.Residual(x, b.Attend(h, "self_attn", Attention{Dim: dim, Heads: b.Size("num_attention_heads"), Bias: true, OutBias: true, O: "out_proj"}))
	h = b.LayerNorm(x, "layer_norm2", dim, true)
	return b.Residual(x, b.Scope("mlp").MLP(h, "fc1", "fc2", dim, b.Size("intermediate_size"), true, "hidden_act"))
}

// siglipTower is SigLIP's image model. Its pooling head is computed, too, although what uses the tower reads every patch.
func (b *Build) siglipTower(pixels Node) Node {
	dim, patch := b.Size("hidden_size"), b.Size("patch_size")
	side := b.Size("image_size") / patch
	x := b.Positions(b.patches(pixels, "embeddings.patch_embedding", dim, patch, true), "embeddings.position_embedding", side*side, dim)
	for i := range b.Int("num_hidden_layers") {
		x = b.Scope("encoder.layers.%d", i).towerLayer(x)
	}
	x = b.LayerNorm(x, "post_layernorm", dim, true)
	if !b.Given("vision_use_head") || b.Bool("vision_use_head") {
		b.Scope("head").siglipHead(x, dim)
	}
	return x
}

// siglipHead lets one trained vector attend to all patches.
func (b *Build) siglipHead(x Node, dim int64) Node {
	probe := b.Add("parameter", "probe", Args{Ints("shape", 1, dim)}, x)
	b.Tensor("probe", 1, 1, dim)
	h := b.Add("crossAttention", "attention", Args{Int("embedDim", dim), Int("numHeads", b.Size("num_attention_heads"))}, probe, x)
	b.Tensor("attention.in_proj_weight", 3*dim, dim)
	b.Tensor("attention.in_proj_bias", 3*dim)
	b.weights("attention.out_proj", true, dim, dim)
	y := b.Scope("mlp").MLP(b.LayerNorm(h, "layernorm", dim, true), "fc1", "fc2", dim, b.Size("intermediate_size"), true, "hidden_act")
	return b.First(b.Residual(h, y))
}

// scatter puts the vectors of pictures or sounds in the places of the text that stand for them.
func (b *Build) scatter(text, features Node, dim int64) Node {
	if b.leaves(text, features) {
		return text
	}
	return b.opaqueOf([]Node{text, features}, "masked_scatter", []int64{b.positions(), dim}, 0)
}

// multimodal adds a decoder whose text holds something else, too, and its head. The head is tied by the outer config.
func (b *Build) multimodal(text *Config, d Decoder, prefix, head string) {
	b.Output(b.multimodalLogits(text, d, prefix, head))
}

func (b *Build) multimodalLogits(text *Config, d Decoder, prefix, head string) Node {
	t := b.With(text)
	x, embedding := t.trunk(d, prefix)
	d = d.filled(t)
	if head == "" {
		return x
	}
	return b.LMHead(x, head, d.Dim, t.Size("vocab_size"), d.HeadBias, embedding, b.Bool("tie_word_embeddings"))
}
