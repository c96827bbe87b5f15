package hf

var _ = define(Family{Type: "cvt", Default: "CvtForImageClassification", Classes: map[string]func(*Build){
	"CvtForImageClassification": func(b *Build) {
		x, token := b.Scope("cvt").cvt()
		if tokens := b.Bools("cls_token"); len(tokens) > 0 && tokens[len(tokens)-1] {
			x = token
		}
		dim := b.last("embed_dim")
		b.Labels(b.Mean(b.LayerNorm(x, "layernorm", dim, true), "", 1), "classifier", dim)
	},
	"CvtModel": func(b *Build) {
		x, _ := b.cvt()
		b.Output(x)
	},
}})

// cvt gives the last positions, and the token before them where the last stage has one.
func (b *Build) cvt() (x, token Node) {
	image, depths := b.Pixels(), b.Ints("depth")
	for i := range int64(len(depths)) {
		if depths[i] > 0 && depths[i] <= i {
			fail(CodeContradiction, b.at("depth"), "has %d layers in stage %d, for which drop_path_rate is spread over too few", depths[i], i)
		}
		s, dim := b.Scope("encoder.stages.%d", i), b.NthSize("embed_dim", i)
		image = s.Conv(image, "embedding.convolution_embeddings.projection", Conv{Out: dim, Kernel: square(b.NthSize("patch_sizes", i)), Stride: square(b.NthSize("patch_stride", i)),
			Pad: square(b.Nth("patch_padding", i)), Bias: true})
		x = s.LayerNorm(s.Sequence(image), "embedding.convolution_embeddings.normalization", dim, true)
		behind := entry(b.Config, "cls_token", b.Bools("cls_token"), i)
		if behind {
			x = s.frontToken(x, "cls_token", b.last("embed_dim"))
		}
		for j := range depths[i] {
			x = s.Scope("layers.%d", j).cvtLayer(x, image, i, behind)
		}
		if behind {
			token, x = s.split(x)
		}
		image = s.Picture(x, dim, image.H, image.W)
	}
	return x, token
}

// split is the first position of a sequence, and the rest.
func (b *Build) split(x Node) (first, rest Node) {
	return b.Add("slice", "", Args{Int("dim", 1), Int("end", 1)}, x), b.Add("slice", "", Args{Int("dim", 1), Int("start", 1)}, x)
}

func (b *Build) cvtLayer(x Node, like Image, stage int64, token bool) Node {
	dim, bias := like.C, entry(b.Config, "qkv_bias", b.Bools("qkv_bias"), stage)
	if method := entry(b.Config, "qkv_projection_method", b.Strs("qkv_projection_method"), stage); method != "dw_bn" {
		fail(CodeConfig, b.at("qkv_projection_method"), "has %q, but only dw_bn runs", method)
	}
	y := b.LayerNorm(x, "layernorm_before", dim, true)
	var first Node
	if token {
		first, y = b.split(y)
	}
	image, a := b.Picture(y, dim, like.H, like.W), b.Scope("attention.attention")
	project := func(name string, stride, pad int64) Node {
		c := a.Scope("convolution_projection_%s.convolution_projection", name)
		p := c.Conv(image, "convolution", Conv{Out: dim, Kernel: square(b.NthSize("kernel_qkv", stage)), Stride: square(stride), Pad: square(pad), Groups: dim})
		z := c.Sequence(c.BatchNorm(p, "normalization"))
		if token {
			z = c.Add("concatenate", "", nil, first, z)
		}
		return a.Linear(z, "projection_"+name, dim, dim, bias)
	}
	q := project("query", b.NthSize("stride_q", stage), b.Nth("padding_q", stage))
	k, v := project("key", b.NthSize("stride_kv", stage), b.Nth("padding_kv", stage)), project("value", b.NthSize("stride_kv", stage), b.Nth("padding_kv", stage))
	heads := b.NthSize("num_heads", stage)
	x = b.Residual(x, b.Linear(a.Core(q, k, v, heads, heads, false), "attention.output.dense", dim, dim, true))
	hidden := ratio(entry(b.Config, "mlp_ratio", b.Floats("mlp_ratio"), stage), dim)
	y = b.Add("gelu", "intermediate.activation", nil, b.Linear(b.LayerNorm(x, "layernorm_after", dim, true), "intermediate.dense", dim, hidden, true))
	return b.Residual(x, b.Linear(y, "output.dense", hidden, dim, true))
}
