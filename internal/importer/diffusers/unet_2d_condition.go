package diffusers

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = define(class{
	name: "UNet2DConditionModel",
	defaults: map[string]any{
		"in_channels": number(4), "out_channels": number(4), "norm_num_groups": number(32), "layers_per_block": number(2),
		"down_block_types":   words("CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"),
		"mid_block_type":     "UNetMidBlock2DCrossAttn",
		"up_block_types":     words("UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"),
		"block_out_channels": numbers(320, 640, 1280, 1280), "downsample_padding": number(1), "act_fn": "silu",
		"cross_attention_dim": number(1280), "transformer_layers_per_block": number(1), "attention_head_dim": number(8),
		"only_cross_attention": false, "use_linear_projection": false, "conv_in_kernel": number(3), "conv_out_kernel": number(3),
		"dual_cross_attention": false, "resnet_time_scale_shift": "default", "resnet_skip_time_act": false,
		"time_embedding_type": "positional", "class_embeddings_concat": false, "attention_type": "default",
	},
	fixed: []string{"act_fn", "dual_cross_attention", "resnet_time_scale_shift", "resnet_skip_time_act", "time_embedding_type",
		"class_embeddings_concat", "attention_type", "encoder_hid_dim", "encoder_hid_dim_type", "time_embedding_dim",
		"time_embedding_act_fn", "timestep_post_act", "reverse_transformer_layers_per_block", "cross_attention_norm",
		"mid_block_only_cross_attention", "num_attention_heads"},
	build: func(b *build.Build) { newUNet(b).build(b) },
})

// unet is UNet2DConditionModel: blocks whose images get smaller, and the same back, which also see what the first gave.
type unet struct {
	channels []int64
	time     build.Node // the embedding of the time step
	wide     int64      // its features
	text     build.Node
	skips    []vision.Image
}

func newUNet(b *build.Build) *unet {
	u := &unet{channels: blocks(b, "down_block_types", "up_block_types")}
	u.wide = 4 * u.channels[0]
	return u
}

// n is how many blocks there are.
func (u *unet) n() int64 { return int64(len(u.channels)) }

func (u *unet) build(b *build.Build) {
	side := b.Bounded("sample_size", b.SizeOr("sample_size", 64))
	x := vision.Image{Node: b.Input("sample", b.Size("in_channels"), side, side), C: b.Size("in_channels"), H: side, W: side}
	u.times(b)
	from := each(b, "cross_attention_dim", u.n(), 0)
	u.text = b.Input("encoder_hidden_states", textLength, from)
	x = kernel(b, x, "conv_in", u.channels[0])
	u.skips = []vision.Image{x}
	for i := range u.n() {
		x = u.down(b.Scope("down_blocks.%d", i), x, i)
	}
	x = u.middle(b.Scope("mid_block"), x)
	for i := range u.n() {
		x = u.up(b.Scope("up_blocks.%d", i), x, i)
	}
	x = silu(b, vision.GroupNorm(b, x, "conv_norm_out", b.Size("norm_num_groups"), x.C))
	b.Output(kernel(b, x, "conv_out", b.Size("out_channels")).Node)
	b.Note("one step of denoising for one image; the text is %d positions long, and the features of the time step are an input", textLength)
}

// textLength is how many positions CLIP's text encoder gives.
const textLength = 77

// kernel is the convolution at an end, with the kernel of its key.
func kernel(b *build.Build, x vision.Image, name string, out int64) vision.Image {
	k := b.Size(name + "_kernel")
	return vision.Conv2d(b, x, name, vision.Conv{Out: out, Kernel: config.Square(k), Pad: config.Square((k - 1) / 2), Bias: true})
}

// times embeds the time step, and what the class adds to it.
func (u *unet) times(b *build.Build) {
	first := u.channels[0]
	x := b.Input("timestep", first)
	if b.Has("time_cond_proj_dim") {
		dim := b.Size("time_cond_proj_dim")
		x = b.Residual(x, b.Linear(b.Input("timestep_cond", dim), "time_embedding.cond_proj", dim, first, false))
	}
	u.time = embedding(b.Scope("time_embedding"), x, first, u.wide)
	switch kind := b.Value("class_embed_type"); {
	case kind == nil && b.Has("num_class_embeds"):
		c := b.Add("embedding", "class_embedding", build.Args{build.Int("vocabSize", b.Size("num_class_embeds")),
			build.Int("embedDim", u.wide)}, b.Input("class_labels"))
		b.Tensor("class_embedding.weight", b.Size("num_class_embeds"), u.wide)
		u.time = b.Residual(u.time, c)
	case kind == "timestep":
		u.time = b.Residual(u.time, embedding(b.Scope("class_embedding"), b.Input("class_labels", first), first, u.wide))
	case kind == "projection":
		dim := b.Size("projection_class_embeddings_input_dim")
		u.time = b.Residual(u.time, embedding(b.Scope("class_embedding"), b.Input("class_labels", dim), dim, u.wide))
	case kind != nil:
		config.Fail(config.CodeArchitecture, b.At("class_embed_type"), "is %s, which is not modelled", config.Written(kind))
	}
	switch kind := b.Value("addition_embed_type"); {
	case kind == "text_time":
		dim := b.Size("projection_class_embeddings_input_dim")
		u.time = b.Residual(u.time, embedding(b.Scope("add_embedding"), b.Input("text_time", dim), dim, u.wide))
	case kind != nil:
		config.Fail(config.CodeArchitecture, b.At("addition_embed_type"), "is %s, which is not modelled", config.Written(kind))
	}
}

// embedding is TimestepEmbedding.
func embedding(b *build.Build, x build.Node, in, out int64) build.Node {
	return b.Linear(b.Add("silu", "act", nil, b.Linear(x, "linear_1", in, out, true)), "linear_2", out, out, true)
}

// looker is the attention of a block.
func (u *unet) looker(b *build.Build, i int64) looker {
	l := looker{heads: each(b, "attention_head_dim", u.n(), i), layers: each(b, "transformer_layers_per_block", u.n(), i),
		from: each(b, "cross_attention_dim", u.n(), i), text: u.text, linear: b.Bool("use_linear_projection")}
	if list, is := b.Value("only_cross_attention").([]any); is {
		if int64(len(list)) != u.n() {
			config.Fail(config.CodeContradiction, b.At("only_cross_attention"), "has %d entries but there are %d blocks", len(list), u.n())
		}
		l.crossOnly = b.Bools("only_cross_attention")[i]
	} else {
		l.crossOnly = b.Bool("only_cross_attention")
	}
	return l
}

// looks says whether a block attends to the text.
func (u *unet) looks(b *build.Build, key, with, without string, i int64) bool {
	kind := b.Strs(key)[i]
	if kind != with && kind != without {
		config.Fail(config.CodeArchitecture, b.At(key), "has %q, and only %s and %s are modelled", clip(kind), with, without)
	}
	return kind == with
}

func (u *unet) down(b *build.Build, x vision.Image, i int64) vision.Image {
	looks := u.looks(b, "down_block_types", "CrossAttnDownBlock2D", "DownBlock2D", i)
	for j := range each(b, "layers_per_block", u.n(), i) {
		x = resnet(b.Scope("resnets.%d", j), x, u.channels[i], u.time, u.wide)
		if looks {
			x = u.looker(b, i).over(b.Scope("attentions.%d", j), x)
		}
		u.skips = append(u.skips, x)
	}
	if i < u.n()-1 {
		x = down(b, x, b.Int("downsample_padding"))
		u.skips = append(u.skips, x)
	}
	return x
}

func (u *unet) middle(b *build.Build, x vision.Image) vision.Image {
	switch kind := b.Value("mid_block_type"); kind {
	case nil:
		return x
	case "UNetMidBlock2DCrossAttn":
		l := u.looker(b, u.n()-1)
		l.crossOnly = false
		x = resnet(b.Scope("resnets.0"), x, x.C, u.time, u.wide)
		x = l.over(b.Scope("attentions.0"), x)
		return resnet(b.Scope("resnets.1"), x, x.C, u.time, u.wide)
	default:
		config.Fail(config.CodeArchitecture, b.At("mid_block_type"), "is %s, and only UNetMidBlock2DCrossAttn is modelled", config.Written(kind))
		return x
	}
}

func (u *unet) up(b *build.Build, x vision.Image, i int64) vision.Image {
	looks, at := u.looks(b, "up_block_types", "CrossAttnUpBlock2D", "UpBlock2D", i), u.n()-1-i
	for j := range each(b, "layers_per_block", u.n(), at) + 1 {
		if len(u.skips) == 0 {
			config.Fail(config.CodeContradiction, b.At("layers_per_block"), "gives the blocks up more layers than those down have results")
		}
		skip := u.skips[len(u.skips)-1]
		u.skips = u.skips[:len(u.skips)-1]
		x = vision.Image{Node: b.Join(x.Node, skip.Node), C: x.C + skip.C, H: skip.H, W: skip.W}
		x = resnet(b.Scope("resnets.%d", j), x, u.channels[at], u.time, u.wide)
		if looks {
			x = u.looker(b, at).over(b.Scope("attentions.%d", j), x)
		}
	}
	if i == u.n()-1 {
		return x
	}
	if len(u.skips) == 0 {
		return up(b, x, 2*x.H, 2*x.W)
	}
	next := u.skips[len(u.skips)-1]
	return up(b, x, next.H, next.W)
}
