package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "falcon_h1", Default: "FalconH1ForCausalLM",
	Classes: stack.HeadedClasses("FalconH1", falconH1)})

// falconH1 has attention and the mixer of Mamba 2 side by side in every layer.
func falconH1(*Build) stack.Decoder {
	return stack.Decoder{Norm: "final_layernorm", Layer: func(b *Build, x Node, _ int64) Node {
		dim := b.Size("hidden_size")
		inner := b.Or("mamba_d_ssm", 0)
		if !b.Has("mamba_d_ssm") {
			inner = nn.Expanded(b, "hidden_size", "mamba_expand")
		}
		s := nn.MambaHeads(b, inner)
		s.OutBias, s.Ungated = b.Bool("projectors_bias"), !b.Bool("mamba_rms_norm")
		h := b.RMSNorm(x, "input_layernorm", dim)
		mixed := nn.Mamba2(b, h, "mamba", s)
		x = stack.ParallelResidual(b, x, mixed, nn.Attend(b, h, "self_attn", nn.RotaryAttention(b, 0)))
		h = b.RMSNorm(x, "pre_ff_layernorm", dim)
		return b.Residual(x, nn.GatedMLPByKey(b, h, "feed_forward", "intermediate_size", b.Bool("mlp_bias")))
	}}
}
