package hf

var _ = define(Family{Type: "jamba", Default: "JambaForCausalLM", Classes: headed("Jamba", jamba, sequences)})

// jamba has attention without positions in one layer of a period, Mamba's mixer in the others, and experts in some.
func jamba(b *Build) Decoder {
	b.smaller("attn_layer_offset", "attn_layer_period")
	b.smaller("expert_layer_offset", "expert_layer_period")
	return Decoder{Norm: "final_layernorm", Layer: func(b *Build, x Node, i int64) Node {
		dim := b.Size("hidden_size")
		h := b.RMSNorm(x, "input_layernorm", dim)
		if i%b.Size("attn_layer_period") == b.Int("attn_layer_offset") {
			x = b.Residual(x, b.Attend(h, "self_attn", Attention{Dim: dim, Heads: b.Size("num_attention_heads"), KV: b.KVHeads(), HeadDim: b.HeadDim(), Causal: true}))
		} else {
			x = b.Residual(x, b.selects(h, "mamba", b.jambaMixer(dim)))
		}
		h = b.RMSNorm(x, "pre_ff_layernorm", dim)
		if i%b.Size("expert_layer_period") != b.Int("expert_layer_offset") || b.Int("num_experts") <= 1 {
			return b.Residual(x, b.gated(h, "feed_forward", "intermediate_size", false))
		}
		e := b.routed("num_experts", "intermediate_size")
		e.Router = "router"
		return b.Residual(x, b.Experts(h, "feed_forward", e))
	}}
}

// jambaMixer normalises the steps and the matrices of the state.
func (b *Build) jambaMixer(dim int64) selective {
	return selective{dim: dim, inner: b.Size("mamba_expand") * dim, state: b.Size("mamba_d_state"), rank: b.rankOf("mamba_dt_rank"), kernel: b.Size("mamba_d_conv"),
		bias: b.Bool("mamba_proj_bias"), convBias: b.Bool("mamba_conv_bias"), act: "hidden_act", norm: (*Build).RMSNorm}
}

// smaller refuses an offset that is not inside its period.
func (b *Build) smaller(offset, period string) {
	if b.Int(offset) >= b.Int(period) {
		fail(CodeContradiction, b.at(offset), "is %d but must be smaller than %s, %d", b.Int(offset), period, b.Int(period))
	}
}
