package hf

var _ = define(Family{Type: "swiftformer", Default: "SwiftFormerForImageClassification", Classes: map[string]func(*Build){
	"SwiftFormerForImageClassification": func(b *Build) {
		dim := b.last("embed_dims")
		x := b.GlobalPool(b.BatchNormOf(b.Scope("swiftformer").swiftFormer(), "norm", dim))
		if !b.Given("num_labels") || b.Int("num_labels") != 0 {
			heads := []Node{b.Linear(x, "head", dim, b.NumLabels(), true), b.Linear(x, "dist_head", dim, b.NumLabels(), true)}
			x = b.Mean(b.Add("stack", "", nil, heads...), "logits", 1)
		}
		b.Output(x)
	},
	"SwiftFormerModel": func(b *Build) { b.Output(b.swiftFormer().Node) },
}})

// swiftFormer is stages of convolutions, each with one block of attention at its end.
func (b *Build) swiftFormer() Image {
	e, first, depths, total := b.Scope("patch_embed.patch_embedding"), b.NthSize("embed_dims", 0), b.Ints("depths"), int64(0)
	for i := range depths {
		total += b.Nth("depths", int64(i))
	}
	if total == 1 {
		fail(CodeContradiction, b.at("depths"), "has one layer in all, over which drop_path_rate cannot be spread")
	}
	x := b.Pixels()
	for i, out := range []int64{first / 2, first} {
		x = e.Conv(x, []string{"0", "3"}[i], Conv{Out: out, Kernel: square(3), Stride: square(2), Pad: square(1), Bias: true})
		x = e.BatchNorm(x, []string{"1", "4"}[i])
		x = x.as(e.Add("relu", []string{"2", "5"}[i], nil, x.Node))
	}
	place := 0
	for i := range int64(len(depths)) {
		for j := range depths[i] {
			l := b.Scope("encoder.network.%d.blocks.%d", place, j)
			if depths[i]-j <= 1 {
				x = l.swiftBlock(x)
			} else {
				x = l.swiftConv(x, ratio(b.Float("mlp_ratio"), x.C))
			}
		}
		place++
		if i+1 == int64(len(depths)) {
			break
		}
		if next := b.NthSize("embed_dims", i+1); entry(b.Config, "downsamples", b.Bools("downsamples"), i) || next != b.NthSize("embed_dims", i) {
			d := b.Scope("encoder.network.%d", place)
			stride := b.PairOf("down_stride")
			if min(stride[0], stride[1]) < 1 {
				fail(CodeConfig, b.at("down_stride"), "is %v but takes integers of at least 1", stride)
			}
			x = d.BatchNorm(d.Conv(x, "proj", Conv{Out: next, Kernel: b.PairOf("down_patch_size"), Stride: stride, Pad: b.PairOf("down_pad"), Bias: true}), "norm")
			place++
		}
	}
	return x
}

// swiftConv is a residual block of a convolution of each channel by itself and two of size 1.
func (b *Build) swiftConv(x Image, hidden int64) Image {
	y := b.BatchNorm(b.Depthwise(x, "depth_wise_conv", 3, true), "norm")
	y = b.Pointwise(y, "point_wise_conv1", hidden, true)
	y = b.Pointwise(y.as(b.Add("gelu", "act", nil, y.Node)), "point_wise_conv2", x.C, true)
	return b.Plus(x, b.ChannelScale(y, "layer_scale", x.C, 1, 1))
}

func (b *Build) swiftBlock(x Image) Image {
	scaled := func(y Image, name string) Image {
		if b.Bool("use_layer_scale") {
			return b.ChannelScale(y, name, x.C, 1, 1)
		}
		return y
	}
	x = b.Scope("local_representation").swiftConv(x, x.C)
	y := b.Scope("attn").swiftAttend(b.Sequence(x), x.C, x.H*x.W)
	x = b.Plus(x, scaled(b.Picture(y, x.C, x.H, x.W), "layer_scale_1"))
	m := b.Scope("linear")
	z := m.Activate(m.Pointwise(m.BatchNorm(x, "norm1"), "fc1", ratio(b.Float("mlp_ratio"), x.C), true))
	return b.Plus(x, scaled(m.Pointwise(z, "fc2", x.C, true), "layer_scale_2"))
}

// swiftAttend multiplies the keys by one query for all, a weighted sum of the queries. What arrives lies in memory with the features first, so that
// each of the first two maps copies it.
func (b *Build) swiftAttend(x Node, dim, length int64) Node {
	first := func(name string) Node { return b.unit(b.Linear(b.moved(x, name, length, dim), name, dim, dim, true)) }
	query, key := first("to_query"), first("to_key")
	weight := b.Add("matmul", "", nil, query, b.Param(x, "w_g", dim, 1))
	weight = b.Add("softmax", "", nil, b.Add("multiply", "", nil, weight, b.Constant(x, "scale_factor", 1, 1)))
	all := b.Add("sum", "", Args{Int("dim", 1), Flag("keepDim", true)}, b.Add("multiply", "", nil, weight, query))
	all = b.Add("repeat", "", Args{Ints("repeats", length, 1)}, all)
	y := b.Residual(b.Linear(b.Add("multiply", "", nil, all, key), "proj", dim, dim, true), query)
	return b.Linear(y, "final", dim, dim, true)
}
