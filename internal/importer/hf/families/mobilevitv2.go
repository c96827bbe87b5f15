package families

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "mobilevitv2", Default: "MobileViTV2ForImageClassification",
	Classes: map[string]func(*Build){
		"MobileViTV2ForImageClassification": func(b *Build) {
			x := mobileViT2(b.Scope("mobilevitv2"))
			vision.Labels(b, vision.GlobalPool(b, x), "classifier", x.C)
		},
		"MobileViTV2Model": func(b *Build) { b.Output(vision.GlobalPool(b, mobileViT2(b))) },
	}})

// mobileViT2 is MobileViT with attention whose cost grows linearly with the number of patches.
func mobileViT2(b *Build) vision.Image {
	factor := b.Float("width_multiplier")
	wide := func(n, divisor int64) int64 { return vision.MakeDivisible(float64(n)*factor, divisor, divisor) }
	stem := vision.MakeDivisible(max(16, min(64, 32*factor)), 8, 16)
	x := mobileConv(b, vision.Pixels(b), "conv_stem",
		vision.Conv{Out: stem, Kernel: config.Square(3), Stride: config.Square(2)}, true)
	x = invertedStage(b, x, 0, wide(64, 16), 1, 1)
	x = invertedStage(b, x, 1, wide(128, 8), 2, 2)
	dilations := mobileDilations(b)
	for i, out := range []int64{256, 384, 512} {
		i := int64(i)
		l := b.Scope("encoder.layer.%d", i+2)
		x = mobileDown(l, x, wide(out, 8), dilations[i])
		x = mobileViT2Layer(l, x, wide(b.NthSize("base_attn_unit_dims", i), 8), b.Nth("n_attn_blocks", i))
	}
	return x
}

func mobileViT2Layer(b *Build, x vision.Image, dim, count int64) vision.Image {
	patch := b.Size("patch_size")
	y := mobileConv(b, x, "conv_kxk", vision.Conv{Out: x.C, Kernel: config.Square(b.Size("conv_kernel_size")),
		Groups: x.C}, true)
	y = vision.Pointwise(b, y, "conv_1x1.convolution", dim, false)
	steps := Args{build.Int("kernelSize", patch), build.Int("stride", patch)}
	z := vision.Image{C: dim, H: patch * patch, W: (y.H / patch) * (y.W / patch)}
	z.Node = b.Reshape(b.Add("unfold", "", steps, y.Node), z.C, z.H, -1)
	hidden := vision.Truncated(math.Floor(b.Float("ffn_multiplier")*float64(dim)/16) * 16)
	for i := range count {
		z = mobileViT2Block(b.Scope("transformer.layer.%d", i), z, hidden)
	}
	z = vision.GroupNorm(b, z, "layernorm", 1, dim)
	y = y.As(b.Add("fold", "", append(Args{build.Ints("outputSize", y.H, y.W)}, steps...),
		b.Reshape(z.Node, dim*patch*patch, -1)))
	return mobileConv(b, y, "conv_projection", vision.Conv{Out: x.C, Kernel: config.Square(1)}, false)
}

func mobileViT2Block(b *Build, x vision.Image, hidden int64) vision.Image {
	dim := x.C
	all := vision.Pointwise(b, vision.GroupNorm(b, x, "layernorm_before", 1, dim), "attention.qkv_proj.convolution",
		1+2*dim, true)
	piece := func(start, end int64) Node {
		return b.Add("slice", "", Args{build.Int("dim", 1), build.Int("start", start), build.Int("end", end)}, all.Node)
	}
	scores := b.Add("softmax", "", nil, piece(0, 1))
	context := b.Add("sum", "", Args{build.Int("dim", -1), build.Flag("keepDim", true)},
		b.Add("multiply", "", nil, piece(1, 1+dim), scores))
	y := x.As(b.Add("multiply", "", nil, b.Add("relu", "", nil, piece(1+dim, 1+2*dim)), context))
	x = vision.Plus(b, x, vision.Pointwise(b, y, "attention.out_proj.convolution", dim, true))
	y = vision.Activate(b, vision.Pointwise(b, vision.GroupNorm(b, x, "layernorm_after", 1, dim),
		"ffn.conv1.convolution", hidden, true))
	return vision.Plus(b, x, vision.Pointwise(b, y, "ffn.conv2.convolution", dim, true))
}
