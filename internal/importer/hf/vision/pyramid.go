package vision

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
)

// Pyramid is what transformers over ever smaller images call their parts: PVT, its second version and SegFormer.
type Pyramid struct {
	Ratios             string // key of the factors by which keys and values shrink
	Norm1, Norm2       string // below a layer
	Q, K, V, O         string
	Reduce, ReduceNorm string
	Up, Down           string
	Depthwise          string // a convolution between the projections of the network, where there is one
	MustDivide         bool   // the heads must divide the features
}

// PyramidPatches projects overlapping patches and normalises the sequence of them.
func PyramidPatches(b *build.Build, x Image, proj, norm string, c Conv) (like Image, sequence build.Node) {
	c.Bias = true
	x = Conv2d(b, x, proj, c)
	return x, b.LayerNorm(Sequence(b, x), norm, x.C, true)
}

// Overlapping is the convolution of a stage's patches, padded by half of them.
func Overlapping(b *build.Build, i int64) Conv {
	size := b.NthSize("patch_sizes", i)
	return Conv{Out: b.NthSize("hidden_sizes", i), Kernel: config.Square(size),
		Stride: config.Square(b.NthSize("strides", i)), Pad: config.Square(size / 2)}
}

// PyramidLayer is attention to a smaller image of the same positions, and a network.
func PyramidLayer(b *build.Build, x build.Node, like Image, stage int64, p Pyramid) build.Node {
	dim := like.C
	x = b.Residual(x, pyramidAttend(b, b.LayerNorm(x, p.Norm1, dim, true), like, stage, p))
	hidden := Ratio(config.Entry(b.Config, "mlp_ratios", b.Floats("mlp_ratios"), stage), dim)
	y := b.Linear(b.LayerNorm(x, p.Norm2, dim, true), p.Up, dim, hidden, true)
	if b.Bool("linear_attention") {
		y = b.Add("relu", "mlp.relu", nil, y)
	}
	if p.Depthwise != "" {
		y = Sequence(b, Depthwise(b, Picture(b, y, hidden, like.H, like.W), p.Depthwise, 3, true))
	}
	return b.Residual(x, b.Linear(b.Activation(y, "hidden_act"), p.Down, hidden, dim, true))
}

func pyramidAttend(b *build.Build, x build.Node, like Image, stage int64, p Pyramid) build.Node {
	dim, heads, factor := like.C, b.NthSize("num_attention_heads", stage), b.NthSize(p.Ratios, stage)
	if p.MustDivide && dim%heads != 0 {
		config.Fail(config.CodeContradiction, b.At("hidden_sizes"),
			"has %d in stage %d, which num_attention_heads, %d, does not divide", dim, stage, heads)
	}
	wide, bias := heads*(dim/heads), !p.MustDivide || b.Bool("qkv_bias")
	y := x
	switch {
	case b.Bool("linear_attention"):
		small := Image{b.Add("adaptiveAvgPool2d", "attention.pool", build.Args{build.Int("outputSize", 7)},
			Picture(b, x, dim, like.H, like.W).Node), dim, 7, 7}
		y = b.LayerNorm(Sequence(b, Pointwise(b, small, p.Reduce, dim, true)), p.ReduceNorm, dim, true)
		y = b.Add("gelu", "attention.act", nil, y)
	case factor > 1:
		small := Conv2d(b, Picture(b, x, dim, like.H, like.W), p.Reduce,
			Conv{Out: dim, Kernel: config.Square(factor), Stride: config.Square(factor), Bias: true})
		y = b.LayerNorm(Sequence(b, small), p.ReduceNorm, dim, true)
	}
	q, k, v := b.Linear(x, p.Q, dim, wide, bias), b.Linear(y, p.K, dim, wide, bias), b.Linear(y, p.V, dim, wide, bias)
	return b.Linear(b.Core(q, k, v, heads, heads, false), p.O, wide, dim, true)
}
