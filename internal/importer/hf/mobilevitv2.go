package hf

import "math"

var _ = define(Family{Type: "mobilevitv2", Default: "MobileViTV2ForImageClassification", Classes: map[string]func(*Build){
	"MobileViTV2ForImageClassification": func(b *Build) {
		x := b.Scope("mobilevitv2").mobileViT2()
		b.Labels(b.GlobalPool(x), "classifier", x.C)
	},
	"MobileViTV2Model": func(b *Build) { b.Output(b.GlobalPool(b.mobileViT2())) },
}})

// mobileViT2 is MobileViT with attention whose cost grows linearly with the number of patches.
func (b *Build) mobileViT2() Image {
	factor := b.Float("width_multiplier")
	wide := func(n, divisor int64) int64 { return makeDivisible(float64(n)*factor, divisor, divisor) }
	stem := makeDivisible(max(16, min(64, 32*factor)), 8, 16)
	x := b.mobileConv(b.Pixels(), "conv_stem", Conv{Out: stem, Kernel: square(3), Stride: square(2)}, true)
	x = b.invertedStage(x, 0, wide(64, 16), 1, 1)
	x = b.invertedStage(x, 1, wide(128, 8), 2, 2)
	dilations := b.mobileDilations()
	for i, out := range []int64{256, 384, 512} {
		i := int64(i)
		l := b.Scope("encoder.layer.%d", i+2)
		x = l.mobileDown(x, wide(out, 8), dilations[i])
		x = l.mobileViT2Layer(x, wide(b.NthSize("base_attn_unit_dims", i), 8), b.Nth("n_attn_blocks", i))
	}
	return x
}

func (b *Build) mobileViT2Layer(x Image, dim, count int64) Image {
	patch := b.Size("patch_size")
	y := b.mobileConv(x, "conv_kxk", Conv{Out: x.C, Kernel: square(b.Size("conv_kernel_size")), Groups: x.C}, true)
	y = b.Pointwise(y, "conv_1x1.convolution", dim, false)
	steps := Args{Int("kernelSize", patch), Int("stride", patch)}
	z := Image{C: dim, H: patch * patch, W: (y.H / patch) * (y.W / patch)}
	z.Node = b.Reshape(b.Add("unfold", "", steps, y.Node), z.C, z.H, -1)
	hidden := truncated(math.Floor(b.Float("ffn_multiplier")*float64(dim)/16) * 16)
	for i := range count {
		z = b.Scope("transformer.layer.%d", i).mobileViT2Block(z, hidden)
	}
	z = b.GroupNorm(z, "layernorm", 1, dim)
	y = y.as(b.Add("fold", "", append(Args{Ints("outputSize", y.H, y.W)}, steps...), b.Reshape(z.Node, dim*patch*patch, -1)))
	return b.mobileConv(y, "conv_projection", Conv{Out: x.C, Kernel: square(1)}, false)
}

func (b *Build) mobileViT2Block(x Image, hidden int64) Image {
	dim := x.C
	all := b.Pointwise(b.GroupNorm(x, "layernorm_before", 1, dim), "attention.qkv_proj.convolution", 1+2*dim, true)
	piece := func(start, end int64) Node {
		return b.Add("slice", "", Args{Int("dim", 1), Int("start", start), Int("end", end)}, all.Node)
	}
	scores := b.Add("softmax", "", nil, piece(0, 1))
	context := b.Add("sum", "", Args{Int("dim", -1), Flag("keepDim", true)}, b.Add("multiply", "", nil, piece(1, 1+dim), scores))
	y := x.as(b.Add("multiply", "", nil, b.Add("relu", "", nil, piece(1+dim, 1+2*dim)), context))
	x = b.Plus(x, b.Pointwise(y, "attention.out_proj.convolution", dim, true))
	y = b.Activate(b.Pointwise(b.GroupNorm(x, "layernorm_after", 1, dim), "ffn.conv1.convolution", hidden, true))
	return b.Plus(x, b.Pointwise(y, "ffn.conv2.convolution", dim, true))
}
