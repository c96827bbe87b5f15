package hf

var _ = define(Family{Type: "pp_lcnet", Default: "PPLCNetForImageClassification", Classes: map[string]func(*Build){
	"PPLCNetForImageClassification": func(b *Build) {
		x, out := b.ppNet()
		x = Image{b.Add("adaptiveAvgPool2d", "avg_pool", Args{Int("outputSize", 1)}, x.Node), x.C, 1, 1}
		wide := b.Size("class_expand")
		x = b.Activate(b.Conv(x, "last_convolution", Conv{In: out, Out: wide, Kernel: square(1)}))
		// The class scales by what dropout would keep, at all times.
		x = x.as(b.Add("multiply", "", nil, x.Node, b.Constant(x.Node, "keep", 1, 1, 1)))
		b.Labels(b.Reshape(x.Node, wide), "head", wide)
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
	{{3, 128, 256, 2, false}, {5, 256, 256, 1, false}, {5, 256, 256, 1, false}, {5, 256, 256, 1, false}, {5, 256, 256, 1, false}, {5, 256, 256, 1, false}},
	{{5, 256, 512, 2, true}, {5, 512, 512, 1, true}},
}

// ppStages reads block_configs: five stages of blocks, each a list of four integers and a truth value.
func (b *Build) ppStages() [][]ppBlock {
	if !b.Has("block_configs") {
		return ppDefault
	}
	var out [][]ppBlock
	for i, stage := range b.list("block_configs") {
		blocks, ok := stage.([]any)
		out = append(out, nil)
		for _, v := range blocks {
			block, isList := v.([]any)
			if ok = ok && isList && len(block) == 5; !ok {
				break
			}
			one := func(j int) int64 {
				return (&Config{values: map[string]any{"block_configs": []any{block[j]}}, path: b.Config.path}).NthSize("block_configs", 0)
			}
			excite, _ := block[4].(bool)
			out[i] = append(out[i], ppBlock{one(0), one(1), one(2), one(3), excite})
		}
		if !ok {
			fail(CodeConfig, b.at("block_configs"), "takes stages of blocks, each a list of kernel, channels, channels behind, stride and true or false")
		}
	}
	if len(out) != 5 || len(out[4]) == 0 {
		fail(CodeConfig, b.at("block_configs"), "has %d stages but takes five, the last of them not empty", len(out))
	}
	return out
}

// ppNet gives the last image, and the channels that the class expects of it.
func (b *Build) ppNet() (Image, int64) {
	divisor, act := b.Size("divisor"), b.Str("hidden_act")
	wide := func(n int64) int64 { return makeDivisible(float64(n)*b.Float("scale"), divisor, divisor) }
	stages := b.ppStages()
	x := b.Scope("encoder").convNorm(b.PixelsOf(3, unknownImage, unknownImage), "convolution", Conv{Out: wide(b.Size("stem_channels")), Kernel: square(3),
		Stride: square(b.Size("stem_stride"))}, act)
	for i, blocks := range stages {
		for j, k := range blocks {
			l, in := b.Scope("encoder.blocks.%d.layers.%d", i, j), wide(k.In)
			x = l.convNorm(x, "depthwise_convolution", Conv{In: in, Out: in, Kernel: square(k.Kernel), Stride: square(k.Stride), Groups: in}, act)
			if k.Excite {
				x = l.Scope("squeeze_excitation_module").Excite(x, "convolutions.0", "convolutions.2", in/b.Size("reduction"), "relu", "hardSigmoid")
			}
			x = l.convNorm(x, "pointwise_convolution", Conv{Out: wide(k.Out), Kernel: square(1)}, act)
		}
	}
	last := stages[4]
	return x, wide(last[len(last)-1].Out)
}
