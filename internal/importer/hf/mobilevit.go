package hf

var _ = define(Family{Type: "mobilevit", Default: "MobileViTForImageClassification", Classes: map[string]func(*Build){
	"MobileViTForImageClassification": func(b *Build) {
		b.Labels(b.GlobalPool(b.Scope("mobilevit").mobileViT()), "classifier", b.last("neck_hidden_sizes"))
	},
	"MobileViTModel": func(b *Build) { b.Output(b.GlobalPool(b.mobileViT())) },
}})

// mobileViT is inverted residual blocks, and in three of its layers transformers over the pixels at the same place of all patches.
func (b *Build) mobileViT() Image {
	neck := func(i int64) int64 { return b.NthSize("neck_hidden_sizes", i) }
	x := b.mobileConv(b.Pixels(), "conv_stem", Conv{Out: neck(0), Kernel: square(3), Stride: square(2)}, true)
	x = b.invertedStage(x, 0, neck(1), 1, 1)
	x = b.invertedStage(x, 1, neck(2), 2, 3)
	dilations := b.mobileDilations()
	for i, count := range []int64{2, 4, 3} {
		i := int64(i)
		l := b.Scope("encoder.layer.%d", i+2)
		x = l.mobileDown(x, neck(i+3), dilations[i])
		x = l.mobileViTLayer(x, b.NthSize("hidden_sizes", i), count)
	}
	return b.mobileConv(x, "conv_1x1_exp", Conv{Out: neck(6), Kernel: square(1)}, true)
}

// invertedStage is a layer of inverted residual blocks.
func (b *Build) invertedStage(x Image, layer, out, stride, count int64) Image {
	for i := range count {
		x = b.Scope("encoder.layer.%d.layer.%d", layer, i).invertedBlock(x, out, stride, 1, 8, 8)
		stride = 1
	}
	return x
}

// mobileDilations are those of the last three layers: where output_stride stops the strides, kernels widen.
func (b *Build) mobileDilations() [3]int64 {
	switch b.Int("output_stride") {
	case 8:
		return [3]int64{1, 2, 4}
	case 16:
		return [3]int64{1, 1, 2}
	}
	return [3]int64{1, 1, 1}
}

// mobileDown halves the image, unless it is dilated.
func (b *Build) mobileDown(x Image, out, dilation int64) Image {
	stride := int64(2)
	if dilation > 1 {
		stride = 1
	}
	return b.Scope("downsampling_layer").invertedBlock(x, out, stride, max(dilation/2, 1), 8, 8)
}

func (b *Build) mobileViTLayer(x Image, dim, count int64) Image {
	heads, kernel, patch := b.Size("num_attention_heads"), square(b.Size("conv_kernel_size")), b.Size("patch_size")
	if dim%heads != 0 {
		fail(CodeContradiction, b.at("hidden_sizes"), "has %d, which num_attention_heads, %d, does not divide", dim, heads)
	}
	y := b.mobileConv(x, "conv_kxk", Conv{Out: x.C, Kernel: kernel}, true)
	y = b.Pointwise(y, "conv_1x1.convolution", dim, false)
	high, wide := (y.H+patch-1)/patch, (y.W+patch-1)/patch
	whole := b.resize(y, high*patch, wide*patch)
	area := patch * patch
	z := b.Add("transpose", "", Args{Int("dim0", 2), Int("dim1", 3)}, b.Reshape(whole.Node, dim*high, patch, wide, patch))
	z = b.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 3)}, b.Reshape(z, dim, high*wide, area))
	for i := range count {
		z = b.Scope("transformer.layer.%d", i).mobileViTBlock(z, dim, heads, area, high*wide)
	}
	z = b.LayerNorm(z, "layernorm", dim, true)
	z = b.Reshape(b.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 3)}, z), dim*high, wide, patch, patch)
	z = b.Reshape(b.Add("transpose", "", Args{Int("dim0", 2), Int("dim1", 3)}, z), dim, high*patch, wide*patch)
	y = b.mobileConv(b.resize(whole.as(z), y.H, y.W), "conv_projection", Conv{Out: x.C, Kernel: square(1)}, true)
	y = Image{b.Add("concatenate", "", nil, x.Node, y.Node), 2 * x.C, y.H, y.W}
	return b.mobileConv(y, "fusion", Conv{Out: x.C, Kernel: kernel}, true)
}

// resize scales an image, where it has another size.
func (b *Build) resize(x Image, h, w int64) Image {
	if x.H == h && x.W == w {
		return x
	}
	return Image{b.Add("interpolate", "", Args{Ints("size", h, w), Text("mode", "bilinear"), Flag("alignCorners", false)}, x.Node), x.C, h, w}
}

func (b *Build) mobileViTBlock(x Node, dim, heads, groups, length int64) Node {
	a, bias := b.Scope("attention"), b.Bool("qkv_bias")
	y := b.LayerNorm(x, "layernorm_before", dim, true)
	part := func(name string) Node {
		z := a.Reshape(a.Linear(y, name, dim, dim, bias), groups, length, heads, dim/heads)
		return a.Add("permute", "", Args{Ints("dims", 0, 1, 3, 2, 4)}, z)
	}
	z := a.Add("scaledDotProductAttention", "", nil, part("attention.query"), part("attention.key"), part("attention.value"))
	z = a.Reshape(a.Add("permute", "", Args{Ints("dims", 0, 1, 3, 2, 4)}, z), groups, length, dim)
	x = b.Residual(x, a.drop(a.Linear(z, "output.dense", dim, dim, true), "hidden_dropout_prob"))
	hidden := ratio(b.Float("mlp_ratio"), dim)
	y = b.MLP(b.LayerNorm(x, "layernorm_after", dim, true), "intermediate.dense", "output.dense", dim, hidden, true, "hidden_act")
	return b.Residual(x, b.drop(y, "hidden_dropout_prob"))
}
