package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "bamba", Default: "BambaForCausalLM",
	Classes: stack.HeadedClasses("Bamba", bamba)})

// bamba has the mixer of Mamba 2, and attention in the layers that attn_layer_indices names.
func bamba(*Build) stack.Decoder {
	return stack.Decoder{Norm: "final_layernorm", Layer: func(b *Build, x Node, i int64) Node {
		dim := b.Size("hidden_size")
		h := b.RMSNorm(x, "input_layernorm", dim)
		if b.HasInt("attn_layer_indices", i) {
			x = b.Residual(x, nn.Attend(b, h, "self_attn",
				nn.PartlyRotary(b, nn.Rotary(b, 0).Biased(b.Bool("attention_bias")), "", 0.5, false)))
		} else {
			x = b.Residual(x, nn.Mamba2(b, h, "mamba", nn.MambaHeads(b, nn.Expanded(b, "hidden_size", "mamba_expand"))))
		}
		h = b.RMSNorm(x, "pre_ff_layernorm", dim)
		return b.Residual(x, nn.GatedMLPByKey(b, h, "feed_forward", "intermediate_size", b.Bool("mlp_bias")))
	}}
}
