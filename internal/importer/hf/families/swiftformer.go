package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "swiftformer", Default: "SwiftFormerForImageClassification",
	Classes: map[string]func(*Build){
		"SwiftFormerForImageClassification": func(b *Build) {
			dim := b.Last("embed_dims")
			x := vision.GlobalPool(b, vision.BatchNormOf(b, swiftFormer(b.Scope("swiftformer")), "norm", dim))
			if !b.Given("num_labels") || b.Int("num_labels") != 0 {
				heads := []Node{b.Linear(x, "head", dim, b.NumLabels(), true),
					b.Linear(x, "dist_head", dim, b.NumLabels(), true)}
				x = b.Mean(b.Add("stack", "", nil, heads...), "logits", 1)
			}
			b.Output(x)
		},
		"SwiftFormerModel": func(b *Build) { b.Output(swiftFormer(b).Node) },
	}})

// swiftFormer is stages of convolutions, each with one block of attention at its end.
func swiftFormer(b *Build) vision.Image {
	e, first, depths, total := b.Scope("patch_embed.patch_embedding"), b.NthSize("embed_dims", 0), b.Ints("depths"),
		int64(0)
	for i := range depths {
		total += b.Nth("depths", int64(i))
	}
	if total == 1 {
		config.Fail(config.CodeContradiction, b.At("depths"),
			"has one layer in all, over which drop_path_rate cannot be spread")
	}
	x := vision.Pixels(b)
	for i, out := range []int64{first / 2, first} {
		x = vision.Conv2d(e, x, []string{"0", "3"}[i],
			vision.Conv{Out: out, Kernel: config.Square(3), Stride: config.Square(2), Pad: config.Square(1),
				Bias: true})
		x = vision.BatchNorm(e, x, []string{"1", "4"}[i])
		x = x.As(e.Add("relu", []string{"2", "5"}[i], nil, x.Node))
	}
	place := 0
	for i := range int64(len(depths)) {
		for j := range depths[i] {
			l := b.Scope("encoder.network.%d.blocks.%d", place, j)
			if depths[i]-j <= 1 {
				x = swiftBlock(l, x)
			} else {
				x = swiftConv(l, x, vision.Ratio(b.Float("mlp_ratio"), x.C))
			}
		}
		place++
		if i+1 == int64(len(depths)) {
			break
		}
		if next := b.NthSize("embed_dims", i+1); config.Entry(b.Config, "downsamples", b.Bools("downsamples"), i) ||
			next != b.NthSize("embed_dims", i) {
			d := b.Scope("encoder.network.%d", place)
			stride := b.PairOf("down_stride")
			if min(stride[0], stride[1]) < 1 {
				config.Fail(config.CodeConfig, b.At("down_stride"), "is %v but takes integers of at least 1", stride)
			}
			x = vision.BatchNorm(d, vision.Conv2d(d, x, "proj",
				vision.Conv{Out: next, Kernel: b.PairOf("down_patch_size"), Stride: stride, Pad: b.PairOf("down_pad"),
					Bias: true}), "norm")
			place++
		}
	}
	return x
}

// swiftConv is a residual block of a convolution of each channel by itself and two of size 1.
func swiftConv(b *Build, x vision.Image, hidden int64) vision.Image {
	y := vision.BatchNorm(b, vision.Depthwise(b, x, "depth_wise_conv", 3, true), "norm")
	y = vision.Pointwise(b, y, "point_wise_conv1", hidden, true)
	y = vision.Pointwise(b, y.As(b.Add("gelu", "act", nil, y.Node)), "point_wise_conv2", x.C, true)
	return vision.Plus(b, x, vision.ChannelScale(b, y, "layer_scale", x.C, 1, 1))
}

func swiftBlock(b *Build, x vision.Image) vision.Image {
	scaled := func(y vision.Image, name string) vision.Image {
		if b.Bool("use_layer_scale") {
			return vision.ChannelScale(b, y, name, x.C, 1, 1)
		}
		return y
	}
	x = swiftConv(b.Scope("local_representation"), x, x.C)
	y := swiftAttend(b.Scope("attn"), vision.Sequence(b, x), x.C, x.H*x.W)
	x = vision.Plus(b, x, scaled(vision.Picture(b, y, x.C, x.H, x.W), "layer_scale_1"))
	m := b.Scope("linear")
	z := vision.Activate(m, vision.Pointwise(m, vision.BatchNorm(m, x, "norm1"), "fc1",
		vision.Ratio(b.Float("mlp_ratio"), x.C), true))
	return vision.Plus(b, x, scaled(vision.Pointwise(m, z, "fc2", x.C, true), "layer_scale_2"))
}

// swiftAttend multiplies the keys by one query for all, a weighted sum of the queries. The input lies in memory
// with the features first, so that each of the first two projections copies it.
func swiftAttend(b *Build, x Node, dim, length int64) Node {
	first := func(name string) Node {
		return unit(b, b.Linear(nn.Moved(b, x, name, length, dim), name, dim, dim, true))
	}
	query, key := first("to_query"), first("to_key")
	weight := b.Add("matmul", "", nil, query, b.Param(x, "w_g", dim, 1))
	weight = b.Add("softmax", "", nil, b.Add("multiply", "", nil, weight, b.Constant(x, "scale_factor", 1, 1)))
	all := b.Add("sum", "", Args{build.Int("dim", 1), build.Flag("keepDim", true)},
		b.Add("multiply", "", nil, weight, query))
	all = b.Add("repeat", "", Args{build.Ints("repeats", length, 1)}, all)
	y := b.Residual(b.Linear(b.Add("multiply", "", nil, all, key), "proj", dim, dim, true), query)
	return b.Linear(y, "final", dim, dim, true)
}
