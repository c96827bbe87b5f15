package diffusers

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = define(class{
	name: "AutoencoderKL",
	defaults: map[string]any{
		"in_channels": number(3), "out_channels": number(3), "latent_channels": number(4), "norm_num_groups": number(32),
		"down_block_types": words("DownEncoderBlock2D"), "up_block_types": words("UpDecoderBlock2D"),
		"block_out_channels": numbers(64), "layers_per_block": number(1), "act_fn": "silu", "sample_size": number(32),
		"use_quant_conv": true, "use_post_quant_conv": true, "mid_block_add_attention": true,
	},
	fixed: []string{"act_fn"},
	build: autoencoder,
})

// autoencoder is AutoencoderKL.forward without drawing: an image becomes the mean of its latents, and they an image.
func autoencoder(b *build.Build) {
	channels := blocks(b, "down_block_types", "up_block_types")
	for _, w := range [][2]string{{"down_block_types", "DownEncoderBlock2D"}, {"up_block_types", "UpDecoderBlock2D"}} {
		for _, kind := range b.Strs(w[0]) {
			if kind != w[1] {
				config.Fail(config.CodeArchitecture, b.At(w[0]), "has %q, and only %s is modelled", clip(kind), w[1])
			}
		}
	}
	latent, side := b.Size("latent_channels"), b.Bounded("sample_size", b.Size("sample_size"))
	x := vision.Image{Node: b.Input("sample", b.Size("in_channels"), side, side), C: b.Size("in_channels"), H: side, W: side}
	x = encoder(b.Scope("encoder"), x, channels, 2*latent)
	if b.Bool("use_quant_conv") {
		x = vision.Pointwise(b, x, "quant_conv", 2*latent, true)
	}
	mean := b.Add("slice", "", build.Args{build.Int("dim", 1), build.Int("start", 0), build.Int("end", latent)}, x.Node)
	x = vision.Image{Node: mean, C: latent, H: x.H, W: x.W}
	if b.Bool("use_post_quant_conv") {
		x = vision.Pointwise(b, x, "post_quant_conv", latent, true)
	}
	b.Output(decoder(b.Scope("decoder"), x, channels).Node)
	b.Note("an image is encoded and decoded; a pipeline from text to image only decodes")
}

func encoder(b *build.Build, x vision.Image, channels []int64, latent int64) vision.Image {
	x = conv3(b, x, "conv_in", channels[0])
	for i, out := range channels {
		m := b.Scope("down_blocks.%d", i)
		for j := range b.Size("layers_per_block") {
			x = resnet(m.Scope("resnets.%d", j), x, out, none, 0)
		}
		if i < len(channels)-1 {
			x = down(m, x, 0)
		}
	}
	return ends(b, middle(b.Scope("mid_block"), x), latent)
}

func decoder(b *build.Build, x vision.Image, channels []int64) vision.Image {
	channels = slices.Clone(channels)
	slices.Reverse(channels)
	x = middle(b.Scope("mid_block"), conv3(b, x, "conv_in", channels[0]))
	for i, out := range channels {
		m := b.Scope("up_blocks.%d", i)
		for j := range b.Size("layers_per_block") + 1 {
			x = resnet(m.Scope("resnets.%d", j), x, out, none, 0)
		}
		if i < len(channels)-1 {
			x = up(m, x, 2*x.H, 2*x.W)
		}
	}
	return ends(b, x, b.Size("out_channels"))
}

// middle is UNetMidBlock2D.
func middle(b *build.Build, x vision.Image) vision.Image {
	x = resnet(b.Scope("resnets.0"), x, x.C, none, 0)
	if b.Bool("mid_block_add_attention") {
		x = middleAttention(b.Scope("attentions.0"), x)
	}
	return resnet(b.Scope("resnets.1"), x, x.C, none, 0)
}

// ends is the norm and the convolution at the end.
func ends(b *build.Build, x vision.Image, out int64) vision.Image {
	return conv3(b, silu(b, vision.GroupNorm(b, x, "conv_norm_out", b.Size("norm_num_groups"), x.C)), "conv_out", out)
}
