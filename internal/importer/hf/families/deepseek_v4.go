package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "deepseek_v4", Default: "DeepseekV4ForCausalLM",
	Classes: stack.HeadedClasses("DeepseekV4", deepseekV4)})

// deepseekV4 carries hc_mult streams of features, which each branch reads mixed and is written back into.
func deepseekV4(b *Build) stack.Decoder {
	return stack.Decoder{Dim: b.Size("hidden_size"),
		Embedded: func(b *Build, x Node) Node {
			x = b.Add("unsqueeze", "streams", Args{build.Int("dim", 2)}, x)
			return b.Add("expand", "streams", Args{build.Ints("shape", -1, b.Size("hc_mult"), -1)}, x)
		},
		Layer: func(b *Build, x Node, i int64) Node {
			dim := b.Size("hidden_size")
			x = hyper(b, x, "attn_hc", func(x Node) Node {
				return compressedAttention(b.Scope("self_attn"), b.RMSNorm(x, "input_layernorm", dim),
					v4Text(b, "layer_types", i, func(i int64) string { return v4Kind(b, i) }))
			})
			return hyper(b, x, "ffn_hc", func(x Node) Node {
				g := nn.Gated{Dim: dim, Hidden: b.Size("moe_intermediate_size"), Bias: b.Bool("mlp_bias"),
					Act: b.Str("hidden_act")}
				e := nn.Experts{Dim: dim, Count: b.Size("n_routed_experts"), TopK: b.Size("num_experts_per_tok"),
					Hidden: g.Hidden}
				return nn.Mixture(b, b.RMSNorm(x, "post_attention_layernorm", dim), e, g)
			})
		},
		FinalNorm: func(b *Build, x Node, name string, dim int64) Node {
			mixes := hyperMixes(b.Scope("hc_head"), x, "hc_", b.Size("hc_mult"), 1)
			return b.RMSNorm(einsum(b, "bsh,bshd->bsd", mixes, x), name, dim)
		}}
}

// v4Text is PerLayerText for a class that takes longer lists, too.
func v4Text(b *Build, key string, i int64, derived func(i int64) string) string {
	if !b.Has(key) {
		return derived(i)
	}
	return nn.TextAt(b, key, i)
}

// v4Kind is the attention of a layer where layer_types does not say it: from the older compress_ratios, else every
// second one behind the first two is sparse.
func v4Kind(b *Build, i int64) string {
	if b.Has("compress_ratios") {
		ratios := b.List("compress_ratios")
		if i >= int64(len(ratios)) {
			config.Fail(config.CodeContradiction, b.At("compress_ratios"),
				"names %d layers but num_hidden_layers is %d", len(ratios), b.Int("num_hidden_layers"))
		}
		ratio := b.Integer("compress_ratios", ratios[i])
		kind, ok := map[int64]string{0: "sliding_attention", 4: "compressed_sparse_attention",
			128: "heavily_compressed_attention"}[ratio]
		if !ok {
			config.Fail(config.CodeConfig, b.At("compress_ratios"), "holds %d but takes 0, 4 or 128", ratio)
		}
		return kind
	}
	if i >= 2 && i%2 == 1 {
		return "compressed_sparse_attention"
	}
	return "heavily_compressed_attention"
}

// hyper reads one vector out of the streams for a branch, and writes what the branch gives into all of them, which it
// mixes.
func hyper(b *Build, x Node, name string, branch func(x Node) Node) Node {
	streams := b.Size("hc_mult")
	m := b.Scope("%s", name)
	mixes := hyperMixes(m, x, "", (2+streams)*streams, 3)
	y := branch(einsum(m, "bsh,bshd->bsd", m.Slice(mixes, 0, streams), x))
	written := einsum(m, "bsh,bsd->bshd", m.Slice(mixes, streams, 2*streams), y)
	matrix := m.Unflatten(m.Slice(mixes, 2*streams, (2+streams)*streams), streams, streams)
	return m.Residual(written, einsum(m, "bsij,bsid->bsjd", matrix, x))
}

// hyperMixes computes the weights of the streams from all of them. Its last part scales, shifts and balances them.
func hyperMixes(b *Build, x Node, prefix string, count, scales int64) Node {
	wide := b.Size("hc_mult") * b.Size("hidden_size")
	x = b.Flat(x)
	x = b.Add("rmsNorm", "input_norm", Args{build.Ints("normalizedShape", wide),
		build.Flag("elementwiseAffine", false)}, x)
	x = b.Add("linear", prefix+"fn", Args{build.Int("inFeatures", wide), build.Int("outFeatures", count),
		build.Flag("bias", false)}, x)
	b.Tensor(prefix+"fn", count, wide)
	return b.OpaqueOf([]Node{x}, "", []int64{b.TextLength(), count}, 0, build.T(prefix+"base", count),
		build.T(prefix+"scale", scales))
}

func einsum(b *Build, equation string, x ...Node) Node {
	return b.Add("einsum", "", Args{build.Text("equation", equation)}, x...)
}
