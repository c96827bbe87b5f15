package hf

import (
	"encoding/json"
	"slices"
)

var _ = define(Family{Type: "got_ocr2", Default: "GotOcr2ForConditionalGeneration", Classes: map[string]func(*Build){
	"GotOcr2ForConditionalGeneration": func(b *Build) { b.gotOcr2("model.", "lm_head") },
	"GotOcr2Model":                    func(b *Build) { b.gotOcr2("", "") },
}})

// gotOcr2 is a text model of Qwen2 behind the image model of SAM, whose picture two convolutions make smaller.
func (b *Build) gotOcr2(prefix, head string) {
	vision, text := b.Sub("vision_config", "GotOcr2VisionConfig"), b.gotText()
	dim, channels := text.Size("hidden_size"), vision.Size("output_channels")
	x := b.Scope("%svision_tower", prefix).With(vision).samTower(b.pixels(vision))
	p := b.Scope("%smulti_modal_projector", prefix)
	x = p.conv(x, "conv_upsampler1", channels, 2*channels, 3, 2, 1)
	x = p.conv(x, "conv_upsampler2", 2*channels, dim, 3, 2, 1)
	x = p.Add("flatten", "", Args{Int("startDim", 2)}, x)
	x = p.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, x)
	features := p.Linear(x, "multimodal_projector", dim, dim, true)
	merge := func(m *Build, x Node) Node { return m.scatter(x, features, dim) }
	b.multimodal(text, Decoder{Embedded: merge, Layer: qwen2}, prefix+"language_model", head)
}

// gotText is the config of the text model. Where the file has none, the class has sizes of its own for it.
func (b *Build) gotText() *Config {
	if b.Has("text_config") {
		c := b.Sub("text_config", "qwen2")
		if t := c.ModelType(); t != "" && t != "qwen2" {
			fail(CodeArchitecture, c.at("model_type"), "a text model of type %q is not modelled for got_ocr2; modelled is qwen2", t)
		}
		return c
	}
	n := func(text string) any { return json.Number(text) }
	values := map[string]any{"vocab_size": n("151860"), "hidden_size": n("1024"), "intermediate_size": n("2816"), "num_hidden_layers": n("24"),
		"num_attention_heads": n("16"), "num_key_value_heads": n("16"), "max_position_embeddings": n("32768"), "rope_theta": n("1000000.0")}
	return newConfig(values, "qwen2", b.at("text_config"))
}

// conv is a square convolution without bias.
func (b *Build) conv(x Node, name string, in, out, kernel, stride, padding int64) Node {
	n := b.Add("conv2d", name, Args{Int("inChannels", in), Int("outChannels", out), Int("kernelSize", kernel), Int("stride", stride), Int("padding", padding), Flag("bias", false)}, x)
	b.Tensor(name+".weight", out, in, kernel, kernel)
	return n
}

// samTower is SAM's image model: most layers attend within windows of the picture, some to all of it.
func (b *Build) samTower(pixels Node) Node {
	dim, patch, channels := b.Size("hidden_size"), b.Size("patch_size"), b.Size("num_channels")
	side := b.Size("image_size") / patch
	x := b.Add("conv2d", "patch_embed.projection", Args{Int("inChannels", channels), Int("outChannels", dim), Int("kernelSize", patch), Int("stride", patch)}, pixels)
	b.weights("patch_embed.projection", true, dim, channels, patch, patch)
	x = b.Add("permute", "patch_embed", Args{Ints("dims", 0, 2, 3, 1)}, x)
	if b.Bool("use_abs_pos") {
		table := b.Add("parameter", "pos_embed", Args{Ints("shape", side, side, dim)}, x)
		b.Tensor("pos_embed", 1, side, side, dim)
		x = b.Residual(x, table)
	}
	global := []int64{2, 5, 8, 11}
	if b.Has("global_attn_indexes") {
		global = b.Ints("global_attn_indexes")
	}
	for i := range b.Int("num_hidden_layers") {
		l, window := b.Scope("layers.%d", i), b.Int("window_size")
		if slices.Contains(global, i) {
			window = 0
		}
		x = l.Residual(x, l.samAttention(l.LayerNorm(x, "layer_norm1", dim, true), side, window))
		x = l.Residual(x, l.Scope("mlp").MLP(l.LayerNorm(x, "layer_norm2", dim, true), "lin1", "lin2", dim, b.Size("mlp_dim"), true, "hidden_act"))
	}
	n, out := b.Scope("neck"), b.Size("output_channels")
	x = n.conv(n.Add("permute", "", Args{Ints("dims", 0, 3, 1, 2)}, x), "conv1", dim, out, 1, 1, 0)
	x = n.conv(n.normChannels(x, "layer_norm1", out), "conv2", out, out, 3, 1, 1)
	return n.normChannels(x, "layer_norm2", out)
}

// normChannels normalises the channels of (channels, height, width) at each place.
func (b *Build) normChannels(x Node, name string, channels int64) Node {
	x = b.LayerNorm(b.Add("permute", "", Args{Ints("dims", 0, 2, 3, 1)}, x), name, channels, true)
	return b.Add("permute", "", Args{Ints("dims", 0, 3, 1, 2)}, x)
}

// samAttention is attention over (height, width, features), all of it or in windows; trained vectors of the vertical and the
// horizontal distance are multiplied with the queries.
func (b *Build) samAttention(x Node, side, window int64) Node {
	dim, heads, m := b.Size("hidden_size"), b.Size("num_attention_heads"), b.Scope("attn")
	size, padded := side, side
	if window > 0 {
		size, padded = window, (side+window-1)/window*window
	}
	if heads > dim { // head_dim**-0.5 in the constructor
		fail(CodeContradiction, b.at("num_attention_heads"), "is %d but must be at most hidden_size, %d: a head would have no features", heads, dim)
	}
	var tables []Tensor
	if b.Bool("use_rel_pos") {
		tables = []Tensor{T("rel_pos_h", 2*size-1, dim/heads), T("rel_pos_w", 2*size-1, dim/heads)}
	}
	x = m.Linear(x, "qkv", dim, 3*dim, b.Bool("qkv_bias"))
	x = m.Add("unflatten", "", Args{Int("dim", -1), Ints("unflattenedSize", 3, heads, dim/heads)}, x)
	x = m.unfollowed([]Node{x}, "", []int64{side, side, dim}, m.product(4, padded, padded, size, size, dim), tables...)
	return m.Linear(x, "proj", dim, dim, true)
}
