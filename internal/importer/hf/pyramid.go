package hf

// Pyramid is what transformers over ever smaller images call their parts: PVT, its second version and SegFormer.
type Pyramid struct {
	Ratios             string // key of the factors by which keys and values shrink
	Norm1, Norm2       string // below a layer
	Q, K, V, O         string
	Reduce, ReduceNorm string
	Up, Down           string
	Depthwise          string // a convolution between the maps of the network, where there is one
	MustDivide         bool   // the heads must divide the features
}

// pyramidPatches maps overlapping patches and normalises the sequence of them.
func (b *Build) pyramidPatches(x Image, proj, norm string, c Conv) (like Image, sequence Node) {
	c.Bias = true
	x = b.Conv(x, proj, c)
	return x, b.LayerNorm(b.Sequence(x), norm, x.C, true)
}

// overlapping is the convolution of a stage's patches, padded by half of them.
func (b *Build) overlapping(i int64) Conv {
	size := b.NthSize("patch_sizes", i)
	return Conv{Out: b.NthSize("hidden_sizes", i), Kernel: square(size), Stride: square(b.NthSize("strides", i)), Pad: square(size / 2)}
}

// pyramidLayer is attention to a smaller image of the same positions, and a network.
func (b *Build) pyramidLayer(x Node, like Image, stage int64, p Pyramid) Node {
	dim := like.C
	x = b.Residual(x, b.pyramidAttend(b.LayerNorm(x, p.Norm1, dim, true), like, stage, p))
	hidden := ratio(entry(b.Config, "mlp_ratios", b.Floats("mlp_ratios"), stage), dim)
	y := b.Linear(b.LayerNorm(x, p.Norm2, dim, true), p.Up, dim, hidden, true)
	if b.Bool("linear_attention") {
		y = b.Add("relu", "mlp.relu", nil, y)
	}
	if p.Depthwise != "" {
		y = b.Sequence(b.Depthwise(b.Picture(y, hidden, like.H, like.W), p.Depthwise, 3, true))
	}
	return b.Residual(x, b.Linear(b.Activation(y, "hidden_act"), p.Down, hidden, dim, true))
}

func (b *Build) pyramidAttend(x Node, like Image, stage int64, p Pyramid) Node {
	dim, heads, factor := like.C, b.NthSize("num_attention_heads", stage), b.NthSize(p.Ratios, stage)
	if p.MustDivide && dim%heads != 0 {
		fail(CodeContradiction, b.at("hidden_sizes"), "has %d in stage %d, which num_attention_heads, %d, does not divide", dim, stage, heads)
	}
	wide, bias := heads*(dim/heads), !p.MustDivide || b.Bool("qkv_bias")
	y := x
	switch {
	case b.Bool("linear_attention"):
		small := Image{b.Add("adaptiveAvgPool2d", "attention.pool", Args{Int("outputSize", 7)}, b.Picture(x, dim, like.H, like.W).Node), dim, 7, 7}
		y = b.LayerNorm(b.Sequence(b.Pointwise(small, p.Reduce, dim, true)), p.ReduceNorm, dim, true)
		y = b.Add("gelu", "attention.act", nil, y)
	case factor > 1:
		small := b.Conv(b.Picture(x, dim, like.H, like.W), p.Reduce, Conv{Out: dim, Kernel: square(factor), Stride: square(factor), Bias: true})
		y = b.LayerNorm(b.Sequence(small), p.ReduceNorm, dim, true)
	}
	q, k, v := b.Linear(x, p.Q, dim, wide, bias), b.Linear(y, p.K, dim, wide, bias), b.Linear(y, p.V, dim, wide, bias)
	return b.Linear(b.Core(q, k, v, heads, heads, false), p.O, wide, dim, true)
}
