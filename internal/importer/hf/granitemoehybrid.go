package hf

var _ = define(Family{Type: "granitemoehybrid", Default: "GraniteMoeHybridForCausalLM", Classes: headed("GraniteMoeHybrid", layered(graniteHybrid))})

// graniteHybrid is graniteMoE with the mixer of Mamba 2 in most layers. Its shared network is always there, its experts may not be.
func graniteHybrid(b *Build, x Node, i int64) Node {
	return b.PreNorm(x, b.Size("hidden_size"),
		func(x Node) Node {
			if recurrent(b.kind("layer_types", i, "linear_attention")) {
				return b.structures(x, "mamba", b.mambaHeads(b.expanded("hidden_size", "mamba_expand")))
			}
			a := b.rotary(0).biased(b.Bool("attention_bias"))
			a.Rotary = b.Is("position_embedding_type", "rope")
			return b.Attend(x, "self_attn", a)
		},
		func(x Node) Node {
			shared := b.Gated(x, "shared_mlp", Gated{Dim: b.Size("hidden_size"), Hidden: b.Int("shared_intermediate_size"), Act: b.Str("hidden_act"),
				Fused: "input_linear", Down: "output_linear"})
			if b.Int("num_local_experts") <= 0 {
				return shared
			}
			e := b.routed("num_local_experts", "intermediate_size")
			e.Router = "router"
			return b.Residual(b.Experts(x, "block_sparse_moe", e), shared)
		})
}
