package hf

var _ = define(Family{Type: "phimoe", Default: "PhimoeForCausalLM", Classes: headed("Phimoe", phimoe, sequences)})

// phimoe is mixtral with layer norms and optional biases.
func phimoe(b *Build) Decoder {
	return Decoder{FinalNorm: lastLayerNorm, HeadBias: b.Bool("lm_head_bias"), Layer: func(b *Build, x Node, _ int64) Node {
		a := b.rotary(1e6).biased(b.Bool("attention_bias")).within(b.Or("sliding_window", 0))
		return b.layerNormed(x,
			func(x Node) Node { return b.Attend(x, "self_attn", a) },
			func(x Node) Node {
				e := b.routed("num_local_experts", "intermediate_size")
				e.Router = "router"
				return b.Experts(x, "mlp", e)
			})
	}}
}
