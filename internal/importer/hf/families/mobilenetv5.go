package families

import "github.com/modelverifier/verifier/internal/importer/hf/build"

// mobileNetSide is the size of the pictures that mobilenetv5_300m_enc takes.
const mobileNetSide = 768

// mobileNetV5 is timm's mobilenetv5_300m_enc: convolutions in four stages, attention in the last two, whose results
// are joined and averaged to 16 by 16 vectors of 2,048 features. The name fixes every size.
func mobileNetV5(b *Build, x Node) Node {
	x = b.Add("conv2d", "conv_stem.conv", Args{build.Int("inChannels", 3), build.Int("outChannels", 64),
		build.Int("kernelSize", 3), build.Int("stride", 2), build.Int("padding", 1)}, x)
	b.Weights("conv_stem.conv", true, 64, 3, 3, 3)
	x = mobileAct(b, mobileNorm(b, x, "conv_stem.bn", 64))
	in := int64(64)
	for i := range int64(3) {
		x = edgeResidual(b.Scope("blocks.0.%d", i), x, in, 128, 2-min(i, 1))
		in = 128
	}
	x = inverted(b.Scope("blocks.1.0"), x, invertedBlock{in: 128, out: 256, start: 3, mid: 5, ratio: 6})
	for i, kernel := range []int64{5, 3, 5, 3} {
		x = inverted(b.Scope("blocks.1.%d", i+1), x, invertedBlock{in: 256, out: 256, start: kernel, ratio: 4})
	}
	side := int64(mobileNetSide / 16)
	x = inverted(b.Scope("blocks.2.0"), x, invertedBlock{in: 256, out: 640, start: 5, mid: 5, ratio: 6})
	for i := range int64(7) {
		x = inverted(b.Scope("blocks.2.%d", i+1), x, invertedBlock{in: 640, out: 640, start: 5, ratio: 4})
	}
	x = inverted(b.Scope("blocks.2.8"), x, invertedBlock{in: 640, out: 640, ratio: 1})
	for i := int64(9); i <= 35; i += 2 {
		x = mobileAttention(b.Scope("blocks.2.%d", i), x, 640, 12, 64, side, true)
		x = inverted(b.Scope("blocks.2.%d", i+1), x, invertedBlock{in: 640, out: 640, ratio: 2})
	}
	y := inverted(b.Scope("blocks.3.0"), x, invertedBlock{in: 640, out: 1280, start: 5, mid: 5, ratio: 6})
	for i := int64(1); i <= 37; i += 2 {
		y = mobileAttention(b.Scope("blocks.3.%d", i), y, 1280, 16, 96, side/2, false)
		y = inverted(b.Scope("blocks.3.%d", i+1), y, invertedBlock{in: 1280, out: 1280, ratio: 2})
	}
	m := b.Scope("msfa")
	y = m.Add("interpolate", "", Args{build.Ints("size", side, side)}, y)
	y = m.Join(x, y)
	y = inverted(m.Scope("ffn"), y, invertedBlock{in: 1920, out: 2048, ratio: 2, plain: true})
	y = mobileNorm(m, m.Add("avgpool2d", "", Args{build.Int("kernelSize", side/16)}, y), "norm", 2048)
	return m.Swap(m.Flat(y))
}

// mobileNorm divides the channels at each place by their root mean square.
func mobileNorm(b *Build, x Node, name string, channels int64) Node {
	x = b.RMSNorm(b.Add("permute", name, Args{build.Ints("dims", 0, 2, 3, 1)}, x), name, channels)
	return b.Add("permute", name, Args{build.Ints("dims", 0, 3, 1, 2)}, x)
}

func mobileAct(b *Build, x Node) Node { return b.Add("gelu", "", nil, x) }

// mobileScale scales each channel by a trained factor.
func mobileScale(b *Build, x Node, channels int64) Node {
	x = b.Add("layerScale", "layer_scale", Args{build.Int("dim", channels)},
		b.Add("permute", "", Args{build.Ints("dims", 0, 2, 3, 1)}, x))
	b.Tensor("layer_scale.gamma", channels)
	return b.Add("permute", "", Args{build.Ints("dims", 0, 3, 1, 2)}, x)
}

// depthwise convolves each channel by itself.
func depthwise(b *Build, x Node, name string, channels, kernel, stride int64) Node {
	x = b.Add("depthwiseConv2d", name, Args{build.Int("inChannels", channels), build.Int("kernelSize", kernel),
		build.Int("stride", stride), build.Int("padding", kernel/2), build.Flag("bias", false)}, x)
	b.Tensor(name+".weight", channels, 1, kernel, kernel)
	return x
}

// edgeResidual is a block of two convolutions.
func edgeResidual(b *Build, x Node, in, out, stride int64) Node {
	y := mobileAct(b, mobileNorm(b, conv(b, x, "conv_exp", in, 4*in, 3, stride, 1), "bn1", 4*in))
	y = mobileNorm(b, conv(b, y, "conv_pwl", 4*in, out, 1, 1, 0), "bn2", out)
	if in == out && stride == 1 {
		return b.Residual(x, y)
	}
	return y
}

// invertedBlock widens, convolves and narrows.
type invertedBlock struct {
	// start and mid: sizes of the kernels, 0 where there is none; with mid the picture is halved
	in, out, start, mid, ratio int64
	plain                      bool // neither a scale nor what came in is added
}

func inverted(b *Build, x Node, u invertedBlock) Node {
	y, wide := x, u.in*u.ratio
	if u.start > 0 {
		y = mobileNorm(b, depthwise(b, y, "dw_start.conv", u.in, u.start, 1), "dw_start.bn", u.in)
	}
	y = mobileAct(b, mobileNorm(b, conv(b, y, "pw_exp.conv", u.in, wide, 1, 1, 0), "pw_exp.bn", wide))
	if u.mid > 0 {
		y = mobileAct(b, mobileNorm(b, depthwise(b, y, "dw_mid.conv", wide, u.mid, 2), "dw_mid.bn", wide))
	}
	y = mobileNorm(b, conv(b, y, "pw_proj.conv", wide, u.out, 1, 1, 0), "pw_proj.bn", u.out)
	if u.plain {
		return y
	}
	y = mobileScale(b, y, u.out)
	if u.in == u.out && u.mid == 0 {
		return b.Residual(x, y)
	}
	return y
}

// mobileAttention lets all heads share one key and one value of each place, or, where halved, of every second one.
func mobileAttention(b *Build, x Node, channels, heads, dim, side int64, halved bool) Node {
	places := func(x Node) Node { // (channels, height, width) as a sequence
		return b.Swap(b.Flat(x))
	}
	h := mobileNorm(b, x, "norm", channels)
	kv := func(name string) Node {
		y := h
		if halved {
			y = mobileNorm(b, depthwise(b, y, "attn."+name+".down_conv", channels, 3, 2), "attn."+name+".norm",
				channels)
		}
		return places(conv(b, y, "attn."+name+".proj", channels, dim, 1, 1, 0))
	}
	q := places(conv(b, h, "attn.query.proj", channels, heads*dim, 1, 1, 0))
	y := b.Core(q, kv("key"), kv("value"), heads, 1, false)
	y = b.Swap(y)
	y = b.Unflatten(y, side, side)
	return b.Residual(x, mobileScale(b, conv(b, y, "attn.output.proj", heads*dim, channels, 1, 1, 0), channels))
}
