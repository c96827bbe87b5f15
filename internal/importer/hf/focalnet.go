package hf

var _ = define(Family{Type: "focalnet", Default: "FocalNetForImageClassification", Classes: map[string]func(*Build){
	"FocalNetForImageClassification": func(b *Build) {
		x, dim := b.Scope("focalnet").focalNet()
		b.Labels(x, "classifier", dim)
	},
	"FocalNetModel": func(b *Build) {
		x, _ := b.focalNet()
		b.Output(x)
	},
}})

// focalNet modulates positions by what surrounds them at several distances, in the place of attention.
func (b *Build) focalNet() (pooled Node, dim int64) {
	depths := b.Ints("depths")
	dim = b.Size("embed_dim")
	conv, patch := b.Bool("use_conv_embed"), b.PairOf("patch_size")
	if patch[0] < 1 || patch[1] < 1 {
		fail(CodeConfig, b.at("patch_size"), "is %d by %d but takes integers of at least 1", patch[0], patch[1])
	}
	c := Conv{Out: dim, Kernel: patch, Stride: patch, Bias: true}
	if conv {
		c = Conv{Out: dim, Kernel: square(7), Stride: square(4), Pad: square(2), Bias: true}
	}
	like, x := b.focalPatches(b.Pixels(), "embeddings.patch_embeddings.projection", "embeddings.norm", c, patch)
	for i := range int64(len(depths)) {
		s := b.Scope("encoder.stages.%d", i)
		for j := range depths[i] {
			x = s.Scope("layers.%d", j).focalLayer(x, like, i)
		}
		if i < int64(len(depths))-1 {
			c = Conv{Out: 2 * dim, Kernel: square(2), Stride: square(2), Bias: true}
			if conv {
				c = Conv{Out: 2 * dim, Kernel: square(3), Stride: square(2), Pad: square(1), Bias: true}
			}
			like, x = s.focalPatches(s.Picture(x, dim, like.H, like.W), "downsample.projection", "downsample.norm", c, square(2))
			dim = b.bounded("embed_dim", 2*dim)
		}
	}
	return b.Mean(b.LayerNorm(x, "layernorm", dim, true), "pooler", 1), dim
}

// focalPatches pads to whole patches, maps them and normalises the sequence of them.
func (b *Build) focalPatches(x Image, name, norm string, c Conv, patch Two) (like Image, sequence Node) {
	x = b.Conv(b.PadEnd(x, patch), name, c)
	return x, b.LayerNorm(b.Sequence(x), norm, c.Out, true)
}

func (b *Build) focalLayer(x Node, like Image, stage int64) Node {
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
			y = b.Scale(y, gamma, dim)
		}
		return b.Residual(x, y)
	}
	x = branch(x, "norm1", "gamma_1", func(y Node) Node { return b.Scope("modulation").modulate(y, like, stage) })
	return branch(x, "norm2", "gamma_2", func(y Node) Node {
		return b.Scope("mlp").MLP(y, "fc1", "fc2", dim, ratio(b.Float("mlp_ratio"), dim), true, "hidden_act")
	})
}

func (b *Build) modulate(x Node, like Image, stage int64) Node {
	dim, levels := like.C, b.Nth("focal_levels", stage)
	window := b.NthSize("focal_windows", stage)
	x = b.ChannelsFirst(b.Linear(b.Reshape(x, like.H, like.W, dim), "projection_in", dim, 2*dim+levels+1, true))
	piece := func(start, end int64) Node {
		return b.Add("slice", "", Args{Int("dim", 1), Int("start", start), Int("end", end)}, x)
	}
	query, context := piece(0, dim), like.as(piece(dim, 2*dim))
	var seen []Node
	for k := range levels {
		f := b.Scope("focal_layers.%d", k)
		context = f.Depthwise(context, "0", 2*k+window, false)
		context = context.as(f.Add("gelu", "1", nil, context.Node))
		seen = append(seen, b.Add("multiply", "", nil, context.Node, piece(2*dim+k, 2*dim+k+1)))
	}
	whole := b.Add("gelu", "activation", nil, b.Add("mean", "", Args{Ints("dim", 2, 3), Flag("keepDim", true)}, context.Node))
	sum := b.Add("add", "", nil, append(seen, b.Add("multiply", "", nil, whole, piece(2*dim+levels, 2*dim+levels+1)))...)
	if b.Bool("normalize_modulator") {
		sum = b.Add("divide", "", nil, sum, b.Constant(x, "levels", 1, 1, 1))
	}
	y := b.ChannelsLast(b.Add("multiply", "", nil, query, b.Pointwise(like.as(sum), "projection_context", dim, true).Node))
	if b.Bool("use_post_layernorm_in_modulation") {
		y = b.LayerNorm(y, "layernorm", dim, true)
	}
	return b.Reshape(b.Linear(y, "projection_out", dim, dim, true), like.H*like.W, dim)
}
