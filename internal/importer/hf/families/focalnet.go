package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "focalnet", Default: "FocalNetForImageClassification",
	Classes: vision.Classes("FocalNet", "focalnet", focalNet)})

// focalNet modulates positions by what surrounds them at several distances, in the place of attention.
func focalNet(b *Build) (pooled Node, dim int64) {
	depths := b.Ints("depths")
	dim = b.Size("embed_dim")
	conv, patch := b.Bool("use_conv_embed"), b.PairOf("patch_size")
	if patch[0] < 1 || patch[1] < 1 {
		config.Fail(config.CodeConfig, b.At("patch_size"), "is %d by %d but takes integers of at least 1", patch[0],
			patch[1])
	}
	c := vision.Conv{Out: dim, Kernel: patch, Stride: patch, Bias: true}
	if conv {
		c = vision.Conv{Out: dim, Kernel: config.Square(7), Stride: config.Square(4), Pad: config.Square(2), Bias: true}
	}
	like, x := focalPatches(b, vision.Pixels(b), "embeddings.patch_embeddings.projection", "embeddings.norm", c, patch)
	for i := range int64(len(depths)) {
		s := b.Scope("encoder.stages.%d", i)
		for j := range depths[i] {
			x = focalLayer(s.Scope("layers.%d", j), x, like, i)
		}
		if i < int64(len(depths))-1 {
			c = vision.Conv{Out: 2 * dim, Kernel: config.Square(2), Stride: config.Square(2), Bias: true}
			if conv {
				c = vision.Conv{Out: 2 * dim, Kernel: config.Square(3), Stride: config.Square(2),
					Pad: config.Square(1), Bias: true}
			}
			like, x = focalPatches(s, vision.Picture(s, x, dim, like.H, like.W), "downsample.projection",
				"downsample.norm", c, config.Square(2))
			dim = b.Bounded("embed_dim", 2*dim)
		}
	}
	return b.Mean(b.LayerNorm(x, "layernorm", dim, true), "pooler", 1), dim
}

// focalPatches pads to whole patches, projects them and normalises the sequence of them.
func focalPatches(b *Build, x vision.Image, name, norm string, c vision.Conv, patch config.Two) (like vision.Image,
	sequence Node) {
	x = vision.Conv2d(b, padEnd(b, x, patch), name, c)
	return x, b.LayerNorm(vision.Sequence(b, x), norm, c.Out, true)
}

func focalLayer(b *Build, x Node, like vision.Image, stage int64) Node {
	dim, post := like.C, b.Bool("use_post_layernorm")
	branch := func(x Node, norm, gamma string, f func(Node) Node) Node {
		y := x
		if !post {
			y = b.LayerNorm(y, norm, dim, true)
		}
		y = f(y)
		if post {
			y = b.LayerNorm(y, norm, dim, true)
		}
		if b.Bool("use_layerscale") {
			y = vision.Scale(b, y, gamma, dim)
		}
		return b.Residual(x, y)
	}
	x = branch(x, "norm1", "gamma_1", func(y Node) Node { return modulate(b.Scope("modulation"), y, like, stage) })
	return branch(x, "norm2", "gamma_2", func(y Node) Node {
		return nn.MLP(b.Scope("mlp"), y, "fc1", "fc2", dim, vision.Ratio(b.Float("mlp_ratio"), dim), true, "hidden_act")
	})
}

func modulate(b *Build, x Node, like vision.Image, stage int64) Node {
	dim, levels := like.C, b.Nth("focal_levels", stage)
	window := b.NthSize("focal_windows", stage)
	x = vision.ChannelsFirst(b, b.Linear(b.Reshape(x, like.H, like.W, dim), "projection_in", dim, 2*dim+levels+1, true))
	piece := func(start, end int64) Node {
		return b.Span(x, start, end)
	}
	query, context := piece(0, dim), like.As(piece(dim, 2*dim))
	var seen []Node
	for k := range levels {
		f := b.Scope("focal_layers.%d", k)
		context = vision.Depthwise(f, context, "0", 2*k+window, false)
		context = context.As(f.Add("gelu", "1", nil, context.Node))
		seen = append(seen, b.Add("multiply", "", nil, context.Node, piece(2*dim+k, 2*dim+k+1)))
	}
	whole := b.Add("gelu", "activation", nil,
		b.Add("mean", "", Args{build.Ints("dim", 2, 3), build.Flag("keepDim", true)}, context.Node))
	sum := b.Add("add", "", nil, append(seen,
		b.Add("multiply", "", nil, whole, piece(2*dim+levels, 2*dim+levels+1)))...)
	if b.Bool("normalize_modulator") {
		sum = b.Add("divide", "", nil, sum, b.Constant(x, "levels", 1, 1, 1))
	}
	y := vision.ChannelsLast(b, b.Add("multiply", "", nil, query,
		vision.Pointwise(b, like.As(sum), "projection_context", dim, true).Node))
	if b.Bool("use_post_layernorm_in_modulation") {
		y = b.LayerNorm(y, "layernorm", dim, true)
	}
	return b.Reshape(b.Linear(y, "projection_out", dim, dim, true), like.H*like.W, dim)
}
