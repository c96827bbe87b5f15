package hf

var _ = define(Family{Type: "hy_v3", Default: "HYV3ForCausalLM", Classes: headed("HYV3", layered(hyV3))})

// hyV3 has experts beside shared ones in all layers but the first.
func hyV3(b *Build, x Node, i int64) Node {
	a := b.rotary(11_158_840).biased(b.Bool("attention_bias"))
	a.Norm = HeadRMS
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return b.Attend(x, "self_attn", a) },
		func(x Node) Node {
			if b.kind("mlp_layer_types", i, either(i == 0, dense, sparse)) != sparse {
				return b.mlp(x, b.Bool("mlp_bias"))
			}
			e := b.routed("num_experts", "moe_intermediate_size")
			shared := Gated{Dim: a.Dim, Hidden: e.Hidden * b.Size("num_shared_experts"), Bias: b.Bool("mlp_bias"), Act: b.Str("hidden_act")}
			return b.Residual(b.Experts(x, "mlp", e), b.Gated(x, "mlp.shared_experts", shared))
		})
}
