package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "lfm2", Default: "Lfm2ForCausalLM",
	Classes: stack.HeadedClasses("Lfm2", lfm2)})

// lfm2 has gated short convolutions in most layers and attention in the others.
func lfm2(b *Build) stack.Decoder {
	if b.Given("tie_embedding") { // an older name, which wins
		b.Put("tie_word_embeddings", b.Value("tie_embedding"))
	}
	return stack.Decoder{Norm: "embedding_norm", Layer: func(b *Build, x Node, i int64) Node {
		h := b.RMSNorm(x, "operator_norm", b.Size("hidden_size"))
		if lfmAttends(b, i) {
			x = b.Residual(x, nn.Attend(b, h, "self_attn", lfmAttention(b)))
		} else {
			x = b.Residual(x, lfmConv(b.Scope("conv"), h))
		}
		h = b.RMSNorm(x, "ffn_norm", b.Size("hidden_size"))
		return b.Residual(x, nn.GatedMLP(b, h, "feed_forward",
			nn.Gated{Dim: b.Size("hidden_size"), Hidden: lfmWidth(b), Act: "silu", Gate: "w1", Up: "w3", Down: "w2"}))
	}}
}

// lfmAttends says whether a layer has attention: every one does, where the config names none.
func lfmAttends(b *Build, i int64) bool {
	return nn.PerLayerText(b, "layer_types", i, func(i int64) string {
		return nn.Either(!b.Has("full_attn_idxs") || b.HasInt("full_attn_idxs", i), nn.FullAttention,
			"conv")
	}) == nn.FullAttention
}

func lfmAttention(b *Build) nn.Attention {
	a := nn.Rotary(b, 1e6)
	a.Norm, a.QNorm, a.KNorm, a.O = nn.HeadRMS, "q_layernorm", "k_layernorm", "out_proj"
	return a
}

// lfmConv multiplies before and behind a short convolution.
func lfmConv(b *Build, x Node) Node {
	dim, bias := b.Size("hidden_size"), b.Bool("conv_bias")
	all := b.Linear(x, "in_proj", dim, 3*dim, bias)
	y := b.Add("multiply", "", nil, b.Chunk(all, 3, 0), b.Chunk(all, 3, 2))
	y = nn.CausalConv1d(b, y, "conv", dim, b.Size("conv_L_cache"), bias)
	return b.Linear(b.Add("multiply", "", nil, b.Chunk(all, 3, 1), y), "out_proj", dim, dim, bias)
}

// lfmWidth is two thirds of the width that the config names, rounded up to a multiple.
func lfmWidth(b *Build) int64 {
	wide := b.SizeOr("block_ff_dim", b.Size("intermediate_size"))
	if !b.Bool("block_auto_adjust_ff_dim") {
		return wide
	}
	wide = int64(float64(2*wide) / 3)
	if !b.Has("block_ffn_dim_multiplier") {
		return wide
	}
	wide, step := int64(b.Float("block_ffn_dim_multiplier")*float64(wide)), b.Size("block_multiple_of")
	return (wide + step - 1) / step * step
}
