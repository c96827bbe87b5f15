package families

import (
	"encoding/json"
	"slices"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "got_ocr2", Default: "GotOcr2ForConditionalGeneration",
	Classes: map[string]func(*Build){
		"GotOcr2ForConditionalGeneration": func(b *Build) { gotOcr2(b, "model.", "lm_head") },
		"GotOcr2Model":                    func(b *Build) { gotOcr2(b, "", "") },
	}})

// gotOcr2 is a text model of Qwen2 behind the image model of SAM, whose picture two convolutions make smaller.
func gotOcr2(b *Build, prefix, head string) {
	visionConfig, text := b.Sub("vision_config", "GotOcr2VisionConfig"), gotText(b)
	dim, channels := text.Size("hidden_size"), visionConfig.Size("output_channels")
	x := samTower(b.Scope("%svision_tower", prefix).With(visionConfig), vision.TowerPixels(b, visionConfig))
	p := b.Scope("%smulti_modal_projector", prefix)
	x = conv(p, x, "conv_upsampler1", channels, 2*channels, 3, 2, 1)
	x = conv(p, x, "conv_upsampler2", 2*channels, dim, 3, 2, 1)
	x = p.Flat(x)
	x = p.Swap(x)
	features := p.Linear(x, "multimodal_projector", dim, dim, true)
	merge := func(m *Build, x Node) Node { return stack.Scatter(m, x, features, dim) }
	stack.Multimodal(b, text, stack.Decoder{Embedded: merge, Layer: qwen2}, prefix+"language_model", head)
}

// gotText is the config of the text model. Where the file has none, the class has sizes of its own for it.
func gotText(b *Build) *Config {
	if b.Has("text_config") {
		c := b.Sub("text_config", "qwen2")
		if t := c.NamedType(); t != "" && t != "qwen2" {
			config.Fail(config.CodeArchitecture, c.At("model_type"),
				"a text model of type %q is not modelled for got_ocr2; modelled is qwen2", t)
		}
		return c
	}
	n := func(text string) any { return json.Number(text) }
	values := map[string]any{"vocab_size": n("151860"), "hidden_size": n("1024"), "intermediate_size": n("2816"),
		"num_hidden_layers":   n("24"),
		"num_attention_heads": n("16"), "num_key_value_heads": n("16"), "max_position_embeddings": n("32768"),
		"rope_theta": n("1000000.0")}
	return config.New(values, "qwen2", b.At("text_config"))
}

// conv is a square convolution without bias.
func conv(b *Build, x Node, name string, in, out, kernel, stride, padding int64) Node {
	n := b.Add("conv2d", name, Args{build.Int("inChannels", in), build.Int("outChannels", out),
		build.Int("kernelSize", kernel), build.Int("stride", stride), build.Int("padding", padding),
		build.Flag("bias", false)}, x)
	b.Tensor(name+".weight", out, in, kernel, kernel)
	return n
}

// samTower is SAM's image model: most layers attend within windows of the picture, some to all of it.
func samTower(b *Build, pixels Node) Node {
	dim, patch, channels := b.Size("hidden_size"), b.Size("patch_size"), b.Size("num_channels")
	side := b.Size("image_size") / patch
	x := b.Add("conv2d", "patch_embed.projection",
		Args{build.Int("inChannels", channels), build.Int("outChannels", dim), build.Int("kernelSize", patch),
			build.Int("stride", patch)}, pixels)
	b.Weights("patch_embed.projection", true, dim, channels, patch, patch)
	x = b.Add("permute", "patch_embed", Args{build.Ints("dims", 0, 2, 3, 1)}, x)
	if b.Bool("use_abs_pos") {
		table := b.Add("parameter", "pos_embed", Args{build.Ints("shape", side, side, dim)}, x)
		b.Tensor("pos_embed", 1, side, side, dim)
		x = b.Residual(x, table)
	}
	global := func(i int64) bool { return slices.Contains([]int64{2, 5, 8, 11}, i) }
	if b.Has("global_attn_indexes") {
		global = func(i int64) bool { return b.HasInt("global_attn_indexes", i) }
	}
	for i := range b.Int("num_hidden_layers") {
		l, window := b.Scope("layers.%d", i), b.Int("window_size")
		if global(i) {
			window = 0
		}
		x = l.Residual(x, samAttention(l, l.LayerNorm(x, "layer_norm1", dim, true), side, window))
		x = l.Residual(x, nn.MLP(l.Scope("mlp"), l.LayerNorm(x, "layer_norm2", dim, true), "lin1", "lin2", dim,
			b.Size("mlp_dim"), true, "hidden_act"))
	}
	n, out := b.Scope("neck"), b.Size("output_channels")
	x = conv(n, n.Add("permute", "", Args{build.Ints("dims", 0, 3, 1, 2)}, x), "conv1", dim, out, 1, 1, 0)
	x = conv(n, normChannels(n, x, "layer_norm1", out), "conv2", out, out, 3, 1, 1)
	return normChannels(n, x, "layer_norm2", out)
}

// normChannels normalises the channels of (channels, height, width) at each place.
func normChannels(b *Build, x Node, name string, channels int64) Node {
	x = b.LayerNorm(b.Add("permute", "", Args{build.Ints("dims", 0, 2, 3, 1)}, x), name, channels, true)
	return b.Add("permute", "", Args{build.Ints("dims", 0, 3, 1, 2)}, x)
}

// samAttention is attention over (height, width, features), all of it or in windows; trained vectors of the vertical
// and the horizontal distance are multiplied with the queries.
func samAttention(b *Build, x Node, side, window int64) Node {
	dim, heads, m := b.Size("hidden_size"), b.Size("num_attention_heads"), b.Scope("attn")
	size, padded := side, side
	if window > 0 {
		size, padded = window, (side+window-1)/window*window
	}
	if heads > dim { // head_dim**-0.5 in the constructor
		config.Fail(config.CodeContradiction, b.At("num_attention_heads"),
			"is %d but must be at most hidden_size, %d: a head would have no features", heads, dim)
	}
	var tables []build.Tensor
	if b.Bool("use_rel_pos") {
		tables = []build.Tensor{build.T("rel_pos_h", 2*size-1, dim/heads), build.T("rel_pos_w", 2*size-1, dim/heads)}
	}
	x = m.Linear(x, "qkv", dim, 3*dim, b.Bool("qkv_bias"))
	x = m.Add("unflatten", "", Args{build.Int("dim", -1), build.Ints("unflattenedSize", 3, heads, dim/heads)}, x)
	x = unfollowed(m, []Node{x}, "", []int64{side, side, dim}, build.Product(m, 4, padded, padded, size, size, dim),
		tables...)
	return m.Linear(x, "proj", dim, dim, true)
}
