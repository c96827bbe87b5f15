package hf

// mobileNetSide is the size of the pictures that mobilenetv5_300m_enc takes.
const mobileNetSide = 768

// mobileNetV5 is timm's mobilenetv5_300m_enc: convolutions in four stages, attention in the last two, whose results are joined
// and averaged to 16 by 16 vectors of 2,048 features. The name fixes every size.
func (b *Build) mobileNetV5(x Node) Node {
	x = b.Add("conv2d", "conv_stem.conv", Args{Int("inChannels", 3), Int("outChannels", 64), Int("kernelSize", 3), Int("stride", 2), Int("padding", 1)}, x)
	b.weights("conv_stem.conv", true, 64, 3, 3, 3)
	x = b.mobileAct(b.mobileNorm(x, "conv_stem.bn", 64))
	in := int64(64)
	for i := range int64(3) {
		x = b.Scope("blocks.0.%d", i).edgeResidual(x, in, 128, 2-min(i, 1))
		in = 128
	}
	x = b.Scope("blocks.1.0").inverted(x, invertedBlock{in: 128, out: 256, start: 3, mid: 5, ratio: 6})
	for i, kernel := range []int64{5, 3, 5, 3} {
		x = b.Scope("blocks.1.%d", i+1).inverted(x, invertedBlock{in: 256, out: 256, start: kernel, ratio: 4})
	}
	side := int64(mobileNetSide / 16)
	x = b.Scope("blocks.2.0").inverted(x, invertedBlock{in: 256, out: 640, start: 5, mid: 5, ratio: 6})
	for i := range int64(7) {
		x = b.Scope("blocks.2.%d", i+1).inverted(x, invertedBlock{in: 640, out: 640, start: 5, ratio: 4})
	}
	x = b.Scope("blocks.2.8").inverted(x, invertedBlock{in: 640, out: 640, ratio: 1})
	for i := int64(9); i <= 35; i += 2 {
		x = b.Scope("blocks.2.%d", i).mobileAttention(x, 640, 12, 64, side, true)
		x = b.Scope("blocks.2.%d", i+1).inverted(x, invertedBlock{in: 640, out: 640, ratio: 2})
	}
	y := b.Scope("blocks.3.0").inverted(x, invertedBlock{in: 640, out: 1280, start: 5, mid: 5, ratio: 6})
	for i := int64(1); i <= 37; i += 2 {
		y = b.Scope("blocks.3.%d", i).mobileAttention(y, 1280, 16, 96, side/2, false)
		y = b.Scope("blocks.3.%d", i+1).inverted(y, invertedBlock{in: 1280, out: 1280, ratio: 2})
	}
	m := b.Scope("msfa")
	y = m.Add("interpolate", "", Args{Ints("size", side, side)}, y)
	y = m.Add("concatenate", "", Args{Int("dim", 1)}, x, y)
	y = m.Scope("ffn").inverted(y, invertedBlock{in: 1920, out: 2048, ratio: 2, plain: true})
	y = m.mobileNorm(m.Add("avgpool2d", "", Args{Int("kernelSize", side/16)}, y), "norm", 2048)
	return m.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, m.Add("flatten", "", Args{Int("startDim", 2)}, y))
}

// mobileNorm divides the channels at each place by their root mean square.
func (b *Build) mobileNorm(x Node, name string, channels int64) Node {
	x = b.RMSNorm(b.Add("permute", name, Args{Ints("dims", 0, 2, 3, 1)}, x), name, channels)
	return b.Add("permute", name, Args{Ints("dims", 0, 3, 1, 2)}, x)
}

func (b *Build) mobileAct(x Node) Node { return b.Add("gelu", "", nil, x) }

// mobileScale scales each channel by a trained factor.
func (b *Build) mobileScale(x Node, channels int64) Node {
	x = b.Add("layerScale", "layer_scale", Args{Int("dim", channels)}, b.Add("permute", "", Args{Ints("dims", 0, 2, 3, 1)}, x))
	b.Tensor("layer_scale.gamma", channels)
	return b.Add("permute", "", Args{Ints("dims", 0, 3, 1, 2)}, x)
}

// depthwise convolves each channel by itself.
func (b *Build) depthwise(x Node, name string, channels, kernel, stride int64) Node {
	x = b.Add("depthwiseConv2d", name, Args{Int("inChannels", channels), Int("kernelSize", kernel), Int("stride", stride), Int("padding", kernel/2), Flag("bias", false)}, x)
	b.Tensor(name+".weight", channels, 1, kernel, kernel)
	return x
}

// edgeResidual is a block of two convolutions.
func (b *Build) edgeResidual(x Node, in, out, stride int64) Node {
	y := b.mobileAct(b.mobileNorm(b.conv(x, "conv_exp", in, 4*in, 3, stride, 1), "bn1", 4*in))
	y = b.mobileNorm(b.conv(y, "conv_pwl", 4*in, out, 1, 1, 0), "bn2", out)
	if in == out && stride == 1 {
		return b.Residual(x, y)
	}
	return y
}

// invertedBlock widens, convolves and narrows.
type invertedBlock struct {
	in, out, start, mid, ratio int64 // start and mid: sizes of the kernels, 0 where there is none; with mid the picture is halved
	plain                      bool  // neither a scale nor what came in is added
}

func (b *Build) inverted(x Node, u invertedBlock) Node {
	y, wide := x, u.in*u.ratio
	if u.start > 0 {
		y = b.mobileNorm(b.depthwise(y, "dw_start.conv", u.in, u.start, 1), "dw_start.bn", u.in)
	}
	y = b.mobileAct(b.mobileNorm(b.conv(y, "pw_exp.conv", u.in, wide, 1, 1, 0), "pw_exp.bn", wide))
	if u.mid > 0 {
		y = b.mobileAct(b.mobileNorm(b.depthwise(y, "dw_mid.conv", wide, u.mid, 2), "dw_mid.bn", wide))
	}
	y = b.mobileNorm(b.conv(y, "pw_proj.conv", wide, u.out, 1, 1, 0), "pw_proj.bn", u.out)
	if u.plain {
		return y
	}
	y = b.mobileScale(y, u.out)
	if u.in == u.out && u.mid == 0 {
		return b.Residual(x, y)
	}
	return y
}

// mobileAttention lets all heads share one key and one value of each place, or, where halved, of every second one.
func (b *Build) mobileAttention(x Node, channels, heads, dim, side int64, halved bool) Node {
	places := func(x Node) Node { // (channels, height, width) as a sequence
		return b.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, b.Add("flatten", "", Args{Int("startDim", 2)}, x))
	}
	h := b.mobileNorm(x, "norm", channels)
	kv := func(name string) Node {
		y := h
		if halved {
			y = b.mobileNorm(b.depthwise(y, "attn."+name+".down_conv", channels, 3, 2), "attn."+name+".norm", channels)
		}
		return places(b.conv(y, "attn."+name+".proj", channels, dim, 1, 1, 0))
	}
	q := places(b.conv(h, "attn.query.proj", channels, heads*dim, 1, 1, 0))
	y := b.Core(q, kv("key"), kv("value"), heads, 1, false)
	y = b.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, y)
	y = b.Add("unflatten", "", Args{Int("dim", 2), Ints("unflattenedSize", side, side)}, y)
	return b.Residual(x, b.mobileScale(b.conv(y, "attn.output.proj", heads*dim, channels, 1, 1, 0), channels))
}
