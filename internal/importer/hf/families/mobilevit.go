package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "mobilevit", Default: "MobileViTForImageClassification",
	Classes: map[string]func(*Build){
		"MobileViTForImageClassification": func(b *Build) {
			vision.Labels(b, vision.GlobalPool(b, mobileViT(b.Scope("mobilevit"))), "classifier",
				b.Last("neck_hidden_sizes"))
		},
		"MobileViTModel": func(b *Build) { b.Output(vision.GlobalPool(b, mobileViT(b))) },
	}})

// mobileViT is inverted residual blocks, and in three of its layers transformers over the pixels at the same place of
// all patches.
func mobileViT(b *Build) vision.Image {
	neck := func(i int64) int64 { return b.NthSize("neck_hidden_sizes", i) }
	x := mobileConv(b, vision.Pixels(b), "conv_stem",
		vision.Conv{Out: neck(0), Kernel: config.Square(3), Stride: config.Square(2)}, true)
	x = invertedStage(b, x, 0, neck(1), 1, 1)
	x = invertedStage(b, x, 1, neck(2), 2, 3)
	dilations := mobileDilations(b)
	for i, count := range []int64{2, 4, 3} {
		i := int64(i)
		l := b.Scope("encoder.layer.%d", i+2)
		x = mobileDown(l, x, neck(i+3), dilations[i])
		x = mobileViTLayer(l, x, b.NthSize("hidden_sizes", i), count)
	}
	return mobileConv(b, x, "conv_1x1_exp", vision.Conv{Out: neck(6), Kernel: config.Square(1)}, true)
}

// invertedStage is a layer of inverted residual blocks.
func invertedStage(b *Build, x vision.Image, layer, out, stride, count int64) vision.Image {
	for i := range count {
		x = mobileNetBlock(b.Scope("encoder.layer.%d.layer.%d", layer, i), x, out, stride, 1, 8, 8)
		stride = 1
	}
	return x
}

// mobileDilations are those of the last three layers: where output_stride stops the strides, kernels widen.
func mobileDilations(b *Build) [3]int64 {
	switch b.Int("output_stride") {
	case 8:
		return [3]int64{1, 2, 4}
	case 16:
		return [3]int64{1, 1, 2}
	}
	return [3]int64{1, 1, 1}
}

// mobileDown halves the image, unless it is dilated.
func mobileDown(b *Build, x vision.Image, out, dilation int64) vision.Image {
	stride := int64(2)
	if dilation > 1 {
		stride = 1
	}
	return mobileNetBlock(b.Scope("downsampling_layer"), x, out, stride, max(dilation/2, 1), 8, 8)
}

func mobileViTLayer(b *Build, x vision.Image, dim, count int64) vision.Image {
	heads, kernel, patch := b.Size("num_attention_heads"), config.Square(b.Size("conv_kernel_size")),
		b.Size("patch_size")
	if dim%heads != 0 {
		config.Fail(config.CodeContradiction, b.At("hidden_sizes"),
			"has %d, which num_attention_heads, %d, does not divide", dim, heads)
	}
	y := mobileConv(b, x, "conv_kxk", vision.Conv{Out: x.C, Kernel: kernel}, true)
	y = vision.Pointwise(b, y, "conv_1x1.convolution", dim, false)
	high, wide := (y.H+patch-1)/patch, (y.W+patch-1)/patch
	whole := resize(b, y, high*patch, wide*patch)
	area := patch * patch
	z := b.Add("transpose", "", Args{build.Int("dim0", 2), build.Int("dim1", 3)},
		b.Reshape(whole.Node, dim*high, patch, wide, patch))
	z = b.Add("transpose", "", Args{build.Int("dim0", 1), build.Int("dim1", 3)}, b.Reshape(z, dim, high*wide, area))
	for i := range count {
		z = mobileViTBlock(b.Scope("transformer.layer.%d", i), z, dim, heads, area, high*wide)
	}
	z = b.LayerNorm(z, "layernorm", dim, true)
	z = b.Reshape(b.Add("transpose", "", Args{build.Int("dim0", 1), build.Int("dim1", 3)}, z), dim*high, wide, patch,
		patch)
	z = b.Reshape(b.Add("transpose", "", Args{build.Int("dim0", 2), build.Int("dim1", 3)}, z), dim, high*patch,
		wide*patch)
	y = mobileConv(b, resize(b, whole.As(z), y.H, y.W), "conv_projection",
		vision.Conv{Out: x.C, Kernel: config.Square(1)}, true)
	y = vision.Image{Node: b.Add("concatenate", "", nil, x.Node, y.Node), C: 2 * x.C, H: y.H, W: y.W}
	return mobileConv(b, y, "fusion", vision.Conv{Out: x.C, Kernel: kernel}, true)
}

// resize scales an image, where it has another size.
func resize(b *Build, x vision.Image, h, w int64) vision.Image {
	if x.H == h && x.W == w {
		return x
	}
	return vision.Image{Node: b.Add("interpolate", "",
		Args{build.Ints("size", h, w), build.Text("mode", "bilinear"), build.Flag("alignCorners", false)}, x.Node),
		C: x.C, H: h, W: w}
}

func mobileViTBlock(b *Build, x Node, dim, heads, groups, length int64) Node {
	a, bias := b.Scope("attention"), b.Bool("qkv_bias")
	y := b.LayerNorm(x, "layernorm_before", dim, true)
	part := func(name string) Node {
		z := a.Reshape(a.Linear(y, name, dim, dim, bias), groups, length, heads, dim/heads)
		return a.Add("permute", "", Args{build.Ints("dims", 0, 1, 3, 2, 4)}, z)
	}
	z := a.Add("scaledDotProductAttention", "", nil, part("attention.query"), part("attention.key"),
		part("attention.value"))
	z = a.Reshape(a.Add("permute", "", Args{build.Ints("dims", 0, 1, 3, 2, 4)}, z), groups, length, dim)
	x = b.Residual(x, a.Drop(a.Linear(z, "output.dense", dim, dim, true), "hidden_dropout_prob"))
	hidden := vision.Ratio(b.Float("mlp_ratio"), dim)
	y = nn.MLP(b, b.LayerNorm(x, "layernorm_after", dim, true), "intermediate.dense", "output.dense", dim, hidden,
		true, "hidden_act")
	return b.Residual(x, b.Drop(y, "hidden_dropout_prob"))
}
