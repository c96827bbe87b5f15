package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "cvt", Default: "CvtForImageClassification", Classes: map[string]func(*Build){
	"CvtForImageClassification": func(b *Build) {
		x, token := cvt(b.Scope("cvt"))
		if tokens := b.Bools("cls_token"); len(tokens) > 0 && tokens[len(tokens)-1] {
			x = token
		}
		dim := b.Last("embed_dim")
		vision.Labels(b, b.Mean(b.LayerNorm(x, "layernorm", dim, true), "", 1), "classifier", dim)
	},
	"CvtModel": func(b *Build) {
		x, _ := cvt(b)
		b.Output(x)
	},
}})

// cvt gives the last positions, and the token before them where the last stage has one.
func cvt(b *Build) (x, token Node) {
	image, depths := vision.Pixels(b), b.Ints("depth")
	for i := range int64(len(depths)) {
		if depths[i] > 0 && depths[i] <= i {
			config.Fail(config.CodeContradiction, b.At("depth"),
				"has %d layers in stage %d, for which drop_path_rate is spread over too few", depths[i], i)
		}
		s, dim := b.Scope("encoder.stages.%d", i), b.NthSize("embed_dim", i)
		image = vision.Conv2d(s, image, "embedding.convolution_embeddings.projection",
			vision.Conv{Out: dim, Kernel: config.Square(b.NthSize("patch_sizes", i)),
				Stride: config.Square(b.NthSize("patch_stride", i)),
				Pad:    config.Square(b.Nth("patch_padding", i)), Bias: true})
		x = s.LayerNorm(vision.Sequence(s, image), "embedding.convolution_embeddings.normalization", dim, true)
		behind := config.Entry(b.Config, "cls_token", b.Bools("cls_token"), i)
		if behind {
			x = frontToken(s, x, "cls_token", b.Last("embed_dim"))
		}
		for j := range depths[i] {
			x = cvtLayer(s.Scope("layers.%d", j), x, image, i, behind)
		}
		if behind {
			token, x = split(s, x)
		}
		image = vision.Picture(s, x, dim, image.H, image.W)
	}
	return x, token
}

// split is the first position of a sequence, and the rest.
func split(b *Build, x Node) (first, rest Node) {
	return b.Add("slice", "", Args{build.Int("dim", 1), build.Int("end", 1)}, x),
		b.Add("slice", "", Args{build.Int("dim", 1), build.Int("start", 1)}, x)
}

func cvtLayer(b *Build, x Node, like vision.Image, stage int64, token bool) Node {
	dim, bias := like.C, config.Entry(b.Config, "qkv_bias", b.Bools("qkv_bias"), stage)
	if method := config.Entry(b.Config, "qkv_projection_method", b.Strs("qkv_projection_method"),
		stage); method != "dw_bn" {
		config.Fail(config.CodeConfig, b.At("qkv_projection_method"), "has %q, but only dw_bn runs", method)
	}
	y := b.LayerNorm(x, "layernorm_before", dim, true)
	var first Node
	if token {
		first, y = split(b, y)
	}
	image, a := vision.Picture(b, y, dim, like.H, like.W), b.Scope("attention.attention")
	project := func(name string, stride, pad int64) Node {
		c := a.Scope("convolution_projection_%s.convolution_projection", name)
		p := vision.Conv2d(c, image, "convolution",
			vision.Conv{Out: dim, Kernel: config.Square(b.NthSize("kernel_qkv", stage)), Stride: config.Square(stride),
				Pad: config.Square(pad), Groups: dim})
		z := vision.Sequence(c, vision.BatchNorm(c, p, "normalization"))
		if token {
			z = c.Add("concatenate", "", nil, first, z)
		}
		return a.Linear(z, "projection_"+name, dim, dim, bias)
	}
	q := project("query", b.NthSize("stride_q", stage), b.Nth("padding_q", stage))
	k, v := project("key", b.NthSize("stride_kv", stage), b.Nth("padding_kv", stage)),
		project("value", b.NthSize("stride_kv", stage), b.Nth("padding_kv", stage))
	heads := b.NthSize("num_heads", stage)
	x = b.Residual(x, b.Linear(a.Core(q, k, v, heads, heads, false), "attention.output.dense", dim, dim, true))
	hidden := vision.Ratio(config.Entry(b.Config, "mlp_ratio", b.Floats("mlp_ratio"), stage), dim)
	y = b.Add("gelu", "intermediate.activation", nil,
		b.Linear(b.LayerNorm(x, "layernorm_after", dim, true), "intermediate.dense", dim, hidden, true))
	return b.Residual(x, b.Linear(y, "output.dense", hidden, dim, true))
}
