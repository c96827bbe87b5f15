package families

import (
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "efficientnet", Default: "EfficientNetForImageClassification",
	Classes: map[string]func(*Build){
		"EfficientNetForImageClassification": func(b *Build) {
			vision.Labels(b, efficientNet(b.Scope("efficientnet")), "classifier", b.Size("hidden_dim"))
		},
		"EfficientNetModel": func(b *Build) { b.Output(efficientNet(b)) },
	}})

// filters is a number of channels, widened and rounded.
func filters(b *Build, n int64) int64 {
	divisor := b.Size("depth_divisor")
	return vision.MakeDivisible(float64(n)*b.Float("width_coefficient"), divisor, divisor)
}

// efficientNet gives the pooled features.
func efficientNet(b *Build) Node {
	e, top := b.Scope("embeddings"), b.Scope("encoder")
	x := vision.Conv2d(e, vision.Pad(e, vision.Pixels(b), 0, 1, 0, 1), "convolution",
		vision.Conv{Out: filters(b, 32), Kernel: config.Square(3), Stride: config.Square(2)})
	x = vision.Activate(e, vision.BatchNorm(e, x, "batchnorm"))
	x, out := efficientBlocks(b, x)
	hidden := b.Size("hidden_dim")
	x = vision.Conv2d(top, x, "top_conv", vision.Conv{In: out, Out: filters(b, 1280), Kernel: config.Square(1)})
	x = vision.Activate(top, vision.BatchNormOf(top, x, "top_bn", hidden))
	pool := map[string]string{"mean": "avgpool2d", "max": "maxpool2d"}[b.Str("pooling_type")]
	if pool == "" {
		config.Fail(config.CodeConfig, b.At("pooling_type"), "is %q but takes mean or max", b.Str("pooling_type"))
	}
	return b.Reshape(b.Add(pool, "pooler", Args{build.Int("kernelSize", hidden), build.Flag("ceilMode", true)},
		x.Node), hidden)
}

func efficientBlocks(b *Build, x vision.Image) (y vision.Image, out int64) {
	ins, padded, count := b.Ints("in_channels"), b.Ints("depthwise_padding"), int64(0)
	repeats := func(i int) int64 {
		return vision.Truncated(math.Ceil(b.Float("depth_coefficient") * float64(b.Nth("num_block_repeats", int64(i)))))
	}
	total := int64(0)
	for i := range ins {
		total += repeats(i)
	}
	for i, channels := range ins {
		one := func(key string) int64 { return b.NthSize(key, int64(i)) }
		in, stride := filters(b, channels), one("strides")
		out = filters(b, one("out_channels"))
		for j := range repeats(i) {
			if j > 0 {
				in, stride = out, 1
			}
			k := efficientBlock{In: in, Out: out, Stride: stride, Kernel: one("kernel_sizes"),
				Expand: one("expand_ratios"), Skip: stride == 1 && j > 0,
				Adjust: !slices.Contains(padded, count),
				Drop:   b.Float("drop_connect_rate") * float64(count) / float64(total)}
			x = addEfficientBlock(b.Scope("encoder.blocks.%d", count), x, k)
			count++
		}
	}
	return x, out
}

type efficientBlock struct {
	In, Out, Stride, Kernel, Expand int64
	Skip                            bool // adds its input to its result
	Adjust                          bool // pads one less at the start than at the end
	Drop                            float64
}

func addEfficientBlock(b *Build, x vision.Image, k efficientBlock) vision.Image {
	y, wide := x, k.In*k.Expand
	if k.Expand != 1 {
		y = vision.Conv2d(b, y, "expansion.expand_conv", vision.Conv{In: k.In, Out: wide, Kernel: config.Square(1)})
		y = vision.Activate(b, vision.BatchNorm(b, y, "expansion.expand_bn"))
	}
	c := vision.Conv{In: wide, Out: wide, Kernel: config.Square(k.Kernel), Stride: config.Square(k.Stride),
		Groups: wide, Same: k.Stride != 2}
	if k.Stride == 2 {
		start := k.Kernel / 2
		if k.Adjust {
			start--
		}
		y = vision.Pad(b, y, start, k.Kernel/2, start, k.Kernel/2)
	}
	y = vision.Activate(b, vision.BatchNorm(b, vision.Conv2d(b, y, "depthwise_conv.depthwise_conv", c),
		"depthwise_conv.depthwise_norm"))
	y = vision.Excite(b.Scope("squeeze_excite"), y, "reduce", "expand",
		max(1, vision.Ratio(b.Float("squeeze_expansion_ratio"), k.In)), b.Str("hidden_act"), "sigmoid")
	y = vision.BatchNorm(b, vision.Pointwise(b, y, "projection.project_conv", k.Out, false), "projection.project_bn")
	if k.Skip {
		if k.Drop != 0 {
			y = y.As(b.Add("dropout", "projection.dropout", Args{build.Num("p", k.Drop)}, y.Node))
		}
		return vision.Plus(b, y, x)
	}
	return y
}
