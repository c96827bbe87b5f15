package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "hgnet_v2", Default: "HGNetV2ForImageClassification",
	Classes: map[string]func(*Build){
		"HGNetV2ForImageClassification": func(b *Build) {
			vision.Labels(b, vision.GlobalPool(b, hgNet(b)), "fc",
				b.Last("hidden_sizes"))
		},
	}})

// hgNet is stages of blocks that join what all their layers give.
func hgNet(b *Build) vision.Image {
	x := hgStem(b.Scope("embedder"), vision.Pixels(b))
	for i := range int64(len(b.Ints("stage_in_channels"))) {
		one := func(key string) int64 { return b.NthSize(key, i) }
		s, in, out := b.Scope("encoder.stages.%d", i), one("stage_in_channels"), one("stage_out_channels")
		if config.Entry(b.Config, "stage_downsample", b.Bools("stage_downsample"), i) {
			x = hgConv(s, x, "downsample", vision.Conv{In: in, Out: in, Kernel: config.Square(3),
				Stride: config.Square(one("stage_downsample_strides")), Groups: in}, "")
		}
		for j := range b.Nth("stage_num_blocks", i) {
			k := hgBlock{In: in, Middle: one("stage_mid_channels"), Out: out, Layers: b.Nth("stage_numb_of_layers", i),
				Kernel: one("stage_kernel_size"),
				Light:  config.Entry(b.Config, "stage_light_block", b.Bools("stage_light_block"), i), Residual: j > 0}
			x = addHgBlock(s.Scope("blocks.%d", j), x, k)
			in = out
		}
	}
	return x
}

func hgStem(b *Build, x vision.Image) vision.Image {
	act := b.Str("hidden_act")
	in, wide, out := b.NthSize("stem_channels", 0), b.NthSize("stem_channels", 1), b.NthSize("stem_channels", 2)
	stride := func(i int64) config.Two { return config.Square(b.NthSize("stem_strides", i)) }
	x = vision.Pad(b, hgConv(b, x, "stem1",
		vision.Conv{In: in, Out: wide, Kernel: config.Square(3), Stride: stride(0)}, act), 0, 1, 0, 1)
	y := hgConv(b, x, "stem2a", vision.Conv{Out: wide / 2, Kernel: config.Square(2), Stride: stride(1)}, act)
	y = hgConv(b, vision.Pad(b, y, 0, 1, 0, 1), "stem2b",
		vision.Conv{Out: wide, Kernel: config.Square(2), Stride: stride(2)}, act)
	x = vision.MaxPool(b, x, 2, 1, 0)
	x = vision.Image{Node: b.Add("concatenate", "", nil, x.Node, y.Node), C: 2 * wide, H: x.H, W: x.W}
	x = hgConv(b, x, "stem3", vision.Conv{Out: wide, Kernel: config.Square(3), Stride: stride(3)}, act)
	return hgConv(b, x, "stem4", vision.Conv{Out: out, Kernel: config.Square(1), Stride: stride(4)}, act)
}

type hgBlock struct {
	In, Middle, Out, Layers, Kernel int64
	Light, Residual                 bool
}

func addHgBlock(b *Build, x vision.Image, k hgBlock) vision.Image {
	y, all := x, []Node{x.Node}
	for i := range k.Layers {
		in, name := k.Middle, b.Scope("layers.%d", i)
		if i == 0 {
			in = k.In
		}
		if k.Light {
			y = hgConv(name, y, "conv1", vision.Conv{In: in, Out: k.Middle, Kernel: config.Square(1)}, "")
			y = hgConv(name, y, "conv2", vision.Conv{Out: k.Middle, Kernel: config.Square(k.Kernel), Groups: k.Middle},
				"relu")
		} else {
			y = hgConv(name, y, "", vision.Conv{In: in, Out: k.Middle, Kernel: config.Square(k.Kernel)}, "relu")
		}
		all = append(all, y.Node)
	}
	total := k.In + k.Layers*k.Middle
	y = vision.Image{Node: b.Add("concatenate", "", nil, all...), C: total, H: x.H, W: x.W}
	y = hgConv(b, y, "aggregation.0", vision.Conv{In: total, Out: k.Out / 2, Kernel: config.Square(1)}, "relu")
	y = hgConv(b, y, "aggregation.1", vision.Conv{Out: k.Out, Kernel: config.Square(1)}, "relu")
	if k.Residual {
		return vision.Plus(b, y, x)
	}
	return y
}

// hgConv is a convolution with a batch norm; behind an activation there may be a trained factor and summand for all.
func hgConv(b *Build, x vision.Image, name string, c vision.Conv, act string) vision.Image {
	m := b.Scope("%s", name)
	c.Pad = config.Square((c.Kernel[0] - 1) / 2)
	x = vision.BatchNorm(m, vision.Conv2d(m, x, "convolution", c), "normalization")
	if act == "" {
		return x
	}
	x = x.As(m.Act(x.Node, act, "hidden_act"))
	if !b.Bool("use_learnable_affine_block") {
		return x
	}
	y := m.Add("multiply", "", nil, m.Reshape(m.Param(x.Node, "lab.scale", 1), 1, 1, 1), x.Node)
	return x.As(m.Add("add", "", nil, y, m.Reshape(m.Param(x.Node, "lab.bias", 1), 1, 1, 1)))
}
