package hf

import "slices"

var _ = define(Family{Type: "lfm2", Default: "Lfm2ForCausalLM", Classes: headed("Lfm2", lfm2)})

// lfm2 has gated short convolutions in most layers and attention in the others.
func lfm2(b *Build) Decoder {
	if b.Given("tie_embedding") { // an older name, which wins
		b.values["tie_word_embeddings"] = b.values["tie_embedding"]
	}
	return Decoder{Norm: "embedding_norm", Layer: func(b *Build, x Node, i int64) Node {
		h := b.RMSNorm(x, "operator_norm", b.Size("hidden_size"))
		if b.lfmAttends(i) {
			x = b.Residual(x, b.Attend(h, "self_attn", b.lfmAttention()))
		} else {
			x = b.Residual(x, b.Scope("conv").lfmConv(h))
		}
		h = b.RMSNorm(x, "ffn_norm", b.Size("hidden_size"))
		return b.Residual(x, b.Gated(h, "feed_forward", Gated{Dim: b.Size("hidden_size"), Hidden: b.lfmWidth(), Act: "silu", Gate: "w1", Up: "w3", Down: "w2"}))
	}}
}

// lfmAttends says whether a layer has attention: every one does, where the config names none.
func (b *Build) lfmAttends(i int64) bool {
	return b.perLayerText("layer_types", i, func(i int64) string {
		return either(!b.Has("full_attn_idxs") || slices.Contains(b.Ints("full_attn_idxs"), i), full, "conv")
	}) == full
}

func (b *Build) lfmAttention() Attention {
	a := b.rotary(1e6)
	a.Norm, a.QNorm, a.KNorm, a.O = HeadRMS, "q_layernorm", "k_layernorm", "out_proj"
	return a
}

// lfmConv multiplies before and behind a short convolution.
func (b *Build) lfmConv(x Node) Node {
	dim, bias := b.Size("hidden_size"), b.Bool("conv_bias")
	all := b.Linear(x, "in_proj", dim, 3*dim, bias)
	y := b.Add("multiply", "", nil, b.Chunk(all, 3, 0), b.Chunk(all, 3, 2))
	y = b.convolved(y, "conv", dim, b.Size("conv_L_cache"), bias)
	return b.Linear(b.Add("multiply", "", nil, b.Chunk(all, 3, 1), y), "out_proj", dim, dim, bias)
}

// lfmWidth is two thirds of the width that the config names, rounded up to a multiple.
func (b *Build) lfmWidth() int64 {
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
