package hf

var (
	_ = define(Family{Type: "granitemoe", Default: "GraniteMoeForCausalLM", Classes: headed("GraniteMoe", layered(graniteMoE))})
	_ = define(Family{Type: "granitemoeshared", Default: "GraniteMoeSharedForCausalLM", Classes: headed("GraniteMoeShared", layered(graniteMoE))})
	_ = define(Family{Type: "granitemoe_swa", Default: "GraniteMoeSWAForCausalLM", Classes: headed("GraniteMoeSWA", layered(graniteMoESWA))})
)

// graniteMoE is granite with experts, and beside them a shared network where shared_intermediate_size is not 0.
func graniteMoE(b *Build, x Node, _ int64) Node {
	return b.graniteLayer(x, b.rotary(0).biased(b.Bool("attention_bias")), b.graniteExperts)
}

// graniteMoESWA has the attention of graniteSWA.
func graniteMoESWA(b *Build, x Node, i int64) Node {
	return b.graniteLayer(x, b.graniteSink(i), b.graniteExperts)
}

func (b *Build) graniteExperts(x Node) Node {
	e := b.routed("num_local_experts", "intermediate_size")
	e.Router = "router"
	y := b.Experts(x, "block_sparse_moe", e)
	_, knows := b.class.Fields["shared_intermediate_size"]
	if !knows || b.Int("shared_intermediate_size") == 0 {
		return y
	}
	shared := b.Gated(x, "shared_mlp", Gated{Dim: e.Dim, Hidden: b.Size("shared_intermediate_size"), Act: b.Str("hidden_act"),
		Fused: "input_linear", Down: "output_linear"})
	return b.Residual(y, shared)
}
