package hf

var _ = define(Family{Type: "solar_open", Default: "SolarOpenForCausalLM", Classes: headed("SolarOpen", layered(solarOpen))})

// solarOpen has experts in every layer, beside shared ones.
func solarOpen(b *Build, x Node, _ int64) Node {
	a := b.rotary(1e6)
	a.Bias = b.Bool("attention_bias")
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return b.Attend(x, "self_attn", a) },
		func(x Node) Node {
			e := b.routed("n_routed_experts", "moe_intermediate_size")
			e.Shared = e.Hidden * b.Size("n_shared_experts")
			return b.Experts(x, "mlp", e)
		})
}
