package hf

var _ = define(Family{Type: "xlnet", Default: "XLNetLMHeadModel", Classes: topped("XLNetLMHeadModel", "XLNetModel", xlnet, labelled("XLNetForTokenClassification"))})

// xlnet has attention with scores for distances, and norms behind the sums. Its mask vector and its segments are used only when
// words are hidden or segments are given.
func xlnet(b *Build) Decoder {
	b.divides("d_model", "n_head")
	dim, heads := b.Size("d_model"), b.Size("n_head")
	if head := b.Or("d_head", 0); head != 0 && head != dim/heads {
		fail(CodeContradiction, b.at("d_head"), "is %d but d_model / n_head is %d", head, dim/heads)
	}
	var waves Node
	return Decoder{Prefix: "transformer", Embed: "word_embedding", Layers: "layer", Head: "lm_loss", HeadBias: true, NoFinalNorm: true, Dim: dim, Count: b.Int("n_layer"),
		Embedded: func(b *Build, x Node) Node {
			b.Add("parameter", "mask_emb", Args{Ints("shape", 1, dim)}, x)
			b.Tensor("mask_emb", 1, 1, dim)
			waves = b.drop(b.Add("parameter", "pos_emb", Args{Ints("shape", 2*b.positions(), dim), Flag("trainable", false)}, x), "dropout")
			return b.drop(x, "dropout")
		},
		Layer: func(b *Build, x Node, _ int64) Node {
			m := b.Scope("rel_attn")
			x = m.LayerNorm(b.Residual(x, m.drop(m.relativeAttention(x, waves, dim, heads), "dropout")), "layer_norm", dim, true)
			m = b.Scope("ff")
			wide := b.Size("d_inner")
			y := m.drop(m.Activation(m.Linear(x, "layer_1", dim, wide, true), "ff_activation"), "dropout")
			return m.LayerNorm(b.Residual(x, m.drop(m.Linear(y, "layer_2", wide, dim, true), "dropout")), "layer_norm", dim, true)
		},
		Last: func(b *Build, x Node) Node { return b.drop(x, "dropout") }}
}

// relativeAttention is that of Transformer-XL: the scores of words and those of distances, each with a trained offset.
func (b *Build) relativeAttention(x, waves Node, dim, heads int64) Node {
	head, length := dim/heads, b.positions()
	linear := func(x Node, name string) Node {
		n := b.Add("linear", name, Args{Int("inFeatures", dim), Int("outFeatures", dim), Flag("bias", false)}, x)
		b.Tensor(name, dim, heads, head)
		return n
	}
	q, k, v, r := linear(x, "q"), linear(x, "k"), linear(x, "v"), linear(waves, "r")
	b.way(r, "recast")
	distances := b.opaqueOf([]Node{q, r}, "rel_shift", []int64{heads, length, length}, b.product(4, length, length, dim))
	b.Set(distances, "numParams", Int("", 4*dim).Value)
	for _, name := range []string{"r_r_bias", "r_s_bias"} {
		b.Tensor(name, heads, head)
	}
	b.Tensor("seg_embed", 2, heads, head)
	offset := b.Add("parameter", "r_w_bias", Args{Ints("shape", 1, dim)}, x)
	b.Tensor("r_w_bias", heads, head)
	y := b.Core(b.Add("add", "", nil, q, offset), k, v, heads, heads, b.Is("attn_type", "uni"), distances)
	b.drops(y, "dropout")
	return linear(y, "o")
}
