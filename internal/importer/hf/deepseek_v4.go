package hf

var _ = define(Family{Type: "deepseek_v4", Default: "DeepseekV4ForCausalLM", Classes: headed("DeepseekV4", deepseekV4)})

// deepseekV4 carries hc_mult streams of features, which each branch reads mixed and is written back into.
func deepseekV4(b *Build) Decoder {
	return Decoder{Dim: b.Size("hidden_size"),
		Embedded: func(b *Build, x Node) Node {
			x = b.Add("unsqueeze", "streams", Args{Int("dim", 2)}, x)
			return b.Add("expand", "streams", Args{Ints("shape", -1, b.Size("hc_mult"), -1)}, x)
		},
		Layer: func(b *Build, x Node, i int64) Node {
			dim := b.Size("hidden_size")
			x = b.hyper(x, "attn_hc", func(x Node) Node {
				return b.Scope("self_attn").compressedAttention(b.RMSNorm(x, "input_layernorm", dim), b.v4Text("layer_types", i, b.v4Kind))
			})
			return b.hyper(x, "ffn_hc", func(x Node) Node {
				g := Gated{Dim: dim, Hidden: b.Size("moe_intermediate_size"), Bias: b.Bool("mlp_bias"), Act: b.Str("hidden_act")}
				e := Experts{Dim: dim, Count: b.Size("n_routed_experts"), TopK: b.Size("num_experts_per_tok"), Hidden: g.Hidden}
				return b.mixture(b.RMSNorm(x, "post_attention_layernorm", dim), e, g)
			})
		},
		FinalNorm: func(b *Build, x Node, name string, dim int64) Node {
			mixes := b.Scope("hc_head").hyperMixes(x, "hc_", b.Size("hc_mult"), 1)
			return b.RMSNorm(b.einsum("bsh,bshd->bsd", mixes, x), name, dim)
		}}
}

// v4Text is perLayerText for a class that takes longer lists, too.
func (b *Build) v4Text(key string, i int64, derived func(i int64) string) string {
	if !b.Has(key) {
		return derived(i)
	}
	return b.textAt(key, i)
}

// v4Kind is the attention of a layer where layer_types does not say it: from the older compress_ratios, else every second one
// behind the first two is sparse.
func (b *Build) v4Kind(i int64) string {
	if b.Has("compress_ratios") {
		ratios := b.list("compress_ratios")
		if i >= int64(len(ratios)) {
			fail(CodeContradiction, b.at("compress_ratios"), "names %d layers but num_hidden_layers is %d", len(ratios), b.Int("num_hidden_layers"))
		}
		ratio := b.integer("compress_ratios", ratios[i])
		kind, ok := map[int64]string{0: "sliding_attention", 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}[ratio]
		if !ok {
			fail(CodeConfig, b.at("compress_ratios"), "holds %d but takes 0, 4 or 128", ratio)
		}
		return kind
	}
	if i >= 2 && i%2 == 1 {
		return "compressed_sparse_attention"
	}
	return "heavily_compressed_attention"
}

// hyper reads one vector out of the streams for a branch, and writes what the branch gives into all of them, which it mixes.
func (b *Build) hyper(x Node, name string, branch func(x Node) Node) Node {
	streams := b.Size("hc_mult")
	m := b.Scope("%s", name)
	mixes := m.hyperMixes(x, "", (2+streams)*streams, 3)
	y := branch(m.einsum("bsh,bshd->bsd", m.Slice(mixes, 0, streams), x))
	written := m.einsum("bsh,bsd->bshd", m.Slice(mixes, streams, 2*streams), y)
	matrix := m.Unflatten(m.Slice(mixes, 2*streams, (2+streams)*streams), streams, streams)
	return m.Residual(written, m.einsum("bsij,bsid->bsjd", matrix, x))
}

// hyperMixes computes the weights of the streams from all of them. Its last part scales, shifts and balances them.
func (b *Build) hyperMixes(x Node, prefix string, count, scales int64) Node {
	wide := b.Size("hc_mult") * b.Size("hidden_size")
	x = b.Flat(x)
	x = b.Add("rmsNorm", "input_norm", Args{Ints("normalizedShape", wide), Flag("elementwiseAffine", false)}, x)
	x = b.Add("linear", prefix+"fn", Args{Int("inFeatures", wide), Int("outFeatures", count), Flag("bias", false)}, x)
	b.Tensor(prefix+"fn", count, wide)
	return b.opaqueOf([]Node{x}, "", []int64{b.positions(), count}, 0, T(prefix+"base", count), T(prefix+"scale", scales))
}

func (b *Build) einsum(equation string, x ...Node) Node {
	return b.Add("einsum", "", Args{Text("equation", equation)}, x...)
}
