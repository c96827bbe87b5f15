package hf

var _ = define(Family{Type: "falcon_h1", Default: "FalconH1ForCausalLM", Classes: headed("FalconH1", falconH1)})

// falconH1 has attention and the mixer of Mamba 2 side by side in every layer.
func falconH1(*Build) Decoder {
	return Decoder{Norm: "final_layernorm", Layer: func(b *Build, x Node, _ int64) Node {
		dim := b.Size("hidden_size")
		inner := b.Or("mamba_d_ssm", 0)
		if !b.Has("mamba_d_ssm") {
			inner = b.expanded("hidden_size", "mamba_expand")
		}
		s := b.mambaHeads(inner)
		s.outBias, s.ungated = b.Bool("projectors_bias"), !b.Bool("mamba_rms_norm")
		h := b.RMSNorm(x, "input_layernorm", dim)
		mixed := b.structures(h, "mamba", s)
		x = b.parallel(x, mixed, b.Attend(h, "self_attn", b.rotaryAttention(0)))
		h = b.RMSNorm(x, "pre_ff_layernorm", dim)
		return b.Residual(x, b.gated(h, "feed_forward", "intermediate_size", b.Bool("mlp_bias")))
	}}
}
