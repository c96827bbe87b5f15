package hf

import (
	"math"
	"slices"
)

var _ = define(Family{Type: "efficientnet", Default: "EfficientNetForImageClassification", Classes: map[string]func(*Build){
	"EfficientNetForImageClassification": func(b *Build) {
		b.Labels(b.Scope("efficientnet").efficientNet(), "classifier", b.Size("hidden_dim"))
	},
	"EfficientNetModel": func(b *Build) { b.Output(b.efficientNet()) },
}})

// filters is a number of channels, widened and rounded.
func (b *Build) filters(n int64) int64 {
	divisor := b.Size("depth_divisor")
	return makeDivisible(float64(n)*b.Float("width_coefficient"), divisor, divisor)
}

// efficientNet gives the pooled features.
func (b *Build) efficientNet() Node {
	e, top := b.Scope("embeddings"), b.Scope("encoder")
	x := e.Conv(e.Pad(b.Pixels(), 0, 1, 0, 1), "convolution", Conv{Out: b.filters(32), Kernel: square(3), Stride: square(2)})
	x = e.Activate(e.BatchNorm(x, "batchnorm"))
	x, out := b.efficientBlocks(x)
	hidden := b.Size("hidden_dim")
	x = top.Conv(x, "top_conv", Conv{In: out, Out: b.filters(1280), Kernel: square(1)})
	x = top.Activate(top.BatchNormOf(x, "top_bn", hidden))
	pool := map[string]string{"mean": "avgpool2d", "max": "maxpool2d"}[b.Str("pooling_type")]
	if pool == "" {
		fail(CodeConfig, b.at("pooling_type"), "is %q but takes mean or max", b.Str("pooling_type"))
	}
	return b.Reshape(b.Add(pool, "pooler", Args{Int("kernelSize", hidden), Flag("ceilMode", true)}, x.Node), hidden)
}

func (b *Build) efficientBlocks(x Image) (y Image, out int64) {
	ins, padded, count := b.Ints("in_channels"), b.Ints("depthwise_padding"), int64(0)
	repeats := func(i int) int64 {
		return truncated(math.Ceil(b.Float("depth_coefficient") * float64(b.Nth("num_block_repeats", int64(i)))))
	}
	total := int64(0)
	for i := range ins {
		total += repeats(i)
	}
	for i, channels := range ins {
		one := func(key string) int64 { return b.NthSize(key, int64(i)) }
		in, stride := b.filters(channels), one("strides")
		out = b.filters(one("out_channels"))
		for j := range repeats(i) {
			if j > 0 {
				in, stride = out, 1
			}
			k := efficientBlock{In: in, Out: out, Stride: stride, Kernel: one("kernel_sizes"), Expand: one("expand_ratios"), Skip: stride == 1 && j > 0,
				Adjust: !slices.Contains(padded, count), Drop: b.Float("drop_connect_rate") * float64(count) / float64(total)}
			x = b.Scope("encoder.blocks.%d", count).efficientBlock(x, k)
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

func (b *Build) efficientBlock(x Image, k efficientBlock) Image {
	y, wide := x, k.In*k.Expand
	if k.Expand != 1 {
		y = b.Conv(y, "expansion.expand_conv", Conv{In: k.In, Out: wide, Kernel: square(1)})
		y = b.Activate(b.BatchNorm(y, "expansion.expand_bn"))
	}
	c := Conv{In: wide, Out: wide, Kernel: square(k.Kernel), Stride: square(k.Stride), Groups: wide, Same: k.Stride != 2}
	if k.Stride == 2 {
		start := k.Kernel / 2
		if k.Adjust {
			start--
		}
		y = b.Pad(y, start, k.Kernel/2, start, k.Kernel/2)
	}
	y = b.Activate(b.BatchNorm(b.Conv(y, "depthwise_conv.depthwise_conv", c), "depthwise_conv.depthwise_norm"))
	y = b.Scope("squeeze_excite").Excite(y, "reduce", "expand", max(1, ratio(b.Float("squeeze_expansion_ratio"), k.In)), b.Str("hidden_act"), "sigmoid")
	y = b.BatchNorm(b.Pointwise(y, "projection.project_conv", k.Out, false), "projection.project_bn")
	if k.Skip {
		if k.Drop != 0 {
			y = y.as(b.Add("dropout", "projection.dropout", Args{Num("p", k.Drop)}, y.Node))
		}
		return b.Plus(y, x)
	}
	return y
}
