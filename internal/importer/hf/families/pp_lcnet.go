package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "pp_lcnet", Default: "PPLCNetForImageClassification",
	Classes: map[string]func(*Build){
		"PPLCNetForImageClassification": func(b *Build) {
			x, out := ppNet(b)
			x = vision.Image{Node: b.Add("adaptiveAvgPool2d", "avg_pool", Args{build.Int("outputSize", 1)}, x.Node),
				C: x.C, H: 1, W: 1}
			wide := b.Size("class_expand")
			x = vision.Activate(b, vision.Conv2d(b, x, "last_convolution",
				vision.Conv{In: out, Out: wide, Kernel: config.Square(1)}))
			// The class scales by what dropout would keep, at all times.
			x = x.As(b.Add("multiply", "", nil, x.Node, b.Constant(x.Node, "keep", 1, 1, 1)))
			vision.Labels(b, b.Reshape(x.Node, wide), "head", wide)
		},
	}})

// ppBlock is a convolution of each channel by itself and one of size 1.
type ppBlock struct {
	Kernel, In, Out, Stride int64
	Excite                  bool
}

// ppDefault are the stages of a config that names none.
var ppDefault = [][]ppBlock{
	{{3, 16, 32, 1, false}},
	{{3, 32, 64, 2, false}, {3, 64, 64, 1, false}},
	{{3, 64, 128, 2, false}, {3, 128, 128, 1, false}},
	{{3, 128, 256, 2, false}, {5, 256, 256, 1, false}, {5, 256, 256, 1, false}, {5, 256, 256, 1, false},
		{5, 256, 256, 1, false}, {5, 256, 256, 1, false}},
	{{5, 256, 512, 2, true}, {5, 512, 512, 1, true}},
}

// ppStages reads block_configs: five stages of blocks, each a list of four integers and a truth value.
func ppStages(b *Build) [][]ppBlock {
	if !b.Has("block_configs") {
		return ppDefault
	}
	var out [][]ppBlock
	for i, stage := range b.List("block_configs") {
		blocks, ok := stage.([]any)
		out = append(out, nil)
		for _, v := range blocks {
			block, isList := v.([]any)
			if ok = ok && isList && len(block) == 5; !ok {
				break
			}
			one := func(j int) int64 {
				return config.Object(map[string]any{"block_configs": []any{block[j]}},
					b.Where()).NthSize("block_configs", 0)
			}
			excite, _ := block[4].(bool)
			out[i] = append(out[i], ppBlock{one(0), one(1), one(2), one(3), excite})
		}
		if !ok {
			config.Fail(config.CodeConfig, b.At("block_configs"),
				"takes stages of blocks, each a list of kernel, channels, channels behind, stride and true or false")
		}
	}
	if len(out) != 5 || len(out[4]) == 0 {
		config.Fail(config.CodeConfig, b.At("block_configs"),
			"has %d stages but takes five, the last of them not empty", len(out))
	}
	return out
}

// ppNet gives the last image, and the channels that the class expects of it.
func ppNet(b *Build) (vision.Image, int64) {
	divisor, act := b.Size("divisor"), b.Str("hidden_act")
	wide := func(n int64) int64 { return vision.MakeDivisible(float64(n)*b.Float("scale"), divisor, divisor) }
	stages := ppStages(b)
	x := convNorm(b.Scope("encoder"), vision.PixelsOf(b, 3, vision.DefaultImageSize, vision.DefaultImageSize),
		"convolution", vision.Conv{Out: wide(b.Size("stem_channels")), Kernel: config.Square(3),
			Stride: config.Square(b.Size("stem_stride"))}, act)
	for i, blocks := range stages {
		for j, k := range blocks {
			l, in := b.Scope("encoder.blocks.%d.layers.%d", i, j), wide(k.In)
			x = convNorm(l, x, "depthwise_convolution",
				vision.Conv{In: in, Out: in, Kernel: config.Square(k.Kernel), Stride: config.Square(k.Stride),
					Groups: in}, act)
			if k.Excite {
				x = vision.Excite(l.Scope("squeeze_excitation_module"), x, "convolutions.0", "convolutions.2",
					in/b.Size("reduction"), "relu", "hardSigmoid")
			}
			x = convNorm(l, x, "pointwise_convolution", vision.Conv{Out: wide(k.Out), Kernel: config.Square(1)}, act)
		}
	}
	last := stages[4]
	return x, wide(last[len(last)-1].Out)
}
