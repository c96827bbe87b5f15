package hf

import "slices"

var _ = define(Family{Type: "bamba", Default: "BambaForCausalLM", Classes: headed("Bamba", bamba)})

// bamba has the mixer of Mamba 2, and attention in the layers that attn_layer_indices names.
func bamba(*Build) Decoder {
	return Decoder{Norm: "final_layernorm", Layer: func(b *Build, x Node, i int64) Node {
		dim := b.Size("hidden_size")
		h := b.RMSNorm(x, "input_layernorm", dim)
		if slices.Contains(b.Ints("attn_layer_indices"), i) {
			x = b.Residual(x, b.Attend(h, "self_attn", b.partly(b.rotary(0).biased(b.Bool("attention_bias")), "", 0.5, false)))
		} else {
			x = b.Residual(x, b.structures(h, "mamba", b.mambaHeads(b.expanded("hidden_size", "mamba_expand"))))
		}
		h = b.RMSNorm(x, "pre_ff_layernorm", dim)
		return b.Residual(x, b.gated(h, "feed_forward", "intermediate_size", b.Bool("mlp_bias")))
	}}
}
