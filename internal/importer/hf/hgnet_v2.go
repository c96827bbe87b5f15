package hf

var _ = define(Family{Type: "hgnet_v2", Default: "HGNetV2ForImageClassification", Classes: map[string]func(*Build){
	"HGNetV2ForImageClassification": func(b *Build) { b.Labels(b.GlobalPool(b.hgNet()), "fc", b.last("hidden_sizes")) },
}})

// hgNet is stages of blocks that join what all their layers give.
func (b *Build) hgNet() Image {
	x := b.Scope("embedder").hgStem(b.Pixels())
	for i := range int64(len(b.Ints("stage_in_channels"))) {
		one := func(key string) int64 { return b.NthSize(key, i) }
		s, in, out := b.Scope("encoder.stages.%d", i), one("stage_in_channels"), one("stage_out_channels")
		if entry(b.Config, "stage_downsample", b.Bools("stage_downsample"), i) {
			x = s.hgConv(x, "downsample", Conv{In: in, Out: in, Kernel: square(3), Stride: square(one("stage_downsample_strides")), Groups: in}, "")
		}
		for j := range b.Nth("stage_num_blocks", i) {
			k := hgBlock{In: in, Middle: one("stage_mid_channels"), Out: out, Layers: b.Nth("stage_numb_of_layers", i), Kernel: one("stage_kernel_size"),
				Light: entry(b.Config, "stage_light_block", b.Bools("stage_light_block"), i), Residual: j > 0}
			x = s.Scope("blocks.%d", j).hgBlock(x, k)
			in = out
		}
	}
	return x
}

func (b *Build) hgStem(x Image) Image {
	act := b.Str("hidden_act")
	in, wide, out := b.NthSize("stem_channels", 0), b.NthSize("stem_channels", 1), b.NthSize("stem_channels", 2)
	stride := func(i int64) Two { return square(b.NthSize("stem_strides", i)) }
	x = b.Pad(b.hgConv(x, "stem1", Conv{In: in, Out: wide, Kernel: square(3), Stride: stride(0)}, act), 0, 1, 0, 1)
	y := b.hgConv(x, "stem2a", Conv{Out: wide / 2, Kernel: square(2), Stride: stride(1)}, act)
	y = b.hgConv(b.Pad(y, 0, 1, 0, 1), "stem2b", Conv{Out: wide, Kernel: square(2), Stride: stride(2)}, act)
	x = b.MaxPool(x, 2, 1, 0)
	x = Image{b.Add("concatenate", "", nil, x.Node, y.Node), 2 * wide, x.H, x.W}
	x = b.hgConv(x, "stem3", Conv{Out: wide, Kernel: square(3), Stride: stride(3)}, act)
	return b.hgConv(x, "stem4", Conv{Out: out, Kernel: square(1), Stride: stride(4)}, act)
}

type hgBlock struct {
	In, Middle, Out, Layers, Kernel int64
	Light, Residual                 bool
}

func (b *Build) hgBlock(x Image, k hgBlock) Image {
	y, all := x, []Node{x.Node}
	for i := range k.Layers {
		in, name := k.Middle, b.Scope("layers.%d", i)
		if i == 0 {
			in = k.In
		}
		if k.Light {
			y = name.hgConv(y, "conv1", Conv{In: in, Out: k.Middle, Kernel: square(1)}, "")
			y = name.hgConv(y, "conv2", Conv{Out: k.Middle, Kernel: square(k.Kernel), Groups: k.Middle}, "relu")
		} else {
			y = name.hgConv(y, "", Conv{In: in, Out: k.Middle, Kernel: square(k.Kernel)}, "relu")
		}
		all = append(all, y.Node)
	}
	total := k.In + k.Layers*k.Middle
	y = Image{b.Add("concatenate", "", nil, all...), total, x.H, x.W}
	y = b.hgConv(y, "aggregation.0", Conv{In: total, Out: k.Out / 2, Kernel: square(1)}, "relu")
	y = b.hgConv(y, "aggregation.1", Conv{Out: k.Out, Kernel: square(1)}, "relu")
	if k.Residual {
		return b.Plus(y, x)
	}
	return y
}

// hgConv is a convolution with a batch norm; behind an activation there may be a trained factor and summand for all.
func (b *Build) hgConv(x Image, name string, c Conv, act string) Image {
	m := b.Scope("%s", name)
	c.Pad = square((c.Kernel[0] - 1) / 2)
	x = m.BatchNorm(m.Conv(x, "convolution", c), "normalization")
	if act == "" {
		return x
	}
	x = x.as(m.Act(x.Node, act, "hidden_act"))
	if !b.Bool("use_learnable_affine_block") {
		return x
	}
	y := m.Add("multiply", "", nil, m.Reshape(m.Param(x.Node, "lab.scale", 1), 1, 1, 1), x.Node)
	return x.as(m.Add("add", "", nil, y, m.Reshape(m.Param(x.Node, "lab.bias", 1), 1, 1, 1)))
}
