package hf

var _ = define(Family{Type: "mellum", Default: "MellumForCausalLM", Classes: headed("Mellum", layered(mellum))})

// mellum is qwen3 with experts, layer by layer as the config lists them.
func mellum(b *Build, x Node, i int64) Node {
	kind := b.kind("layer_types", i, full)
	a := b.rotary(0).biased(b.Bool("attention_bias")).within(b.windowOf(kind))
	a.Base = b.baseOf(kind, map[string]float64{full: 500_000}[kind])
	a.Norm = HeadRMS
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return b.Attend(x, "self_attn", a) },
		func(x Node) Node {
			if b.kind("mlp_layer_types", i, sparse) != sparse {
				return b.mlp(x, false)
			}
			return b.Experts(x, "mlp", b.routed(b.localExperts(), "moe_intermediate_size"))
		})
}
