package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "granitemoehybrid", Default: "GraniteMoeHybridForCausalLM",
	Classes: stack.HeadedClasses("GraniteMoeHybrid", stack.Layered(graniteHybrid))})

// graniteHybrid is graniteMoE with the mixer of Mamba 2 in most layers. Its shared network is always there, its
// experts may not be.
func graniteHybrid(b *Build, x Node, i int64) Node {
	return nn.PreNorm(b, x, b.Size("hidden_size"),
		func(x Node) Node {
			if nn.Recurrent(nn.LayerKind(b, "layer_types", i, "linear_attention")) {
				return nn.Mamba2(b, x, "mamba", nn.MambaHeads(b, nn.Expanded(b, "hidden_size", "mamba_expand")))
			}
			a := nn.Rotary(b, 0).Biased(b.Bool("attention_bias"))
			a.Rotary = b.Is("position_embedding_type", "rope")
			return nn.Attend(b, x, "self_attn", a)
		},
		func(x Node) Node {
			shared := nn.GatedMLP(b, x, "shared_mlp",
				nn.Gated{Dim: b.Size("hidden_size"), Hidden: b.Int("shared_intermediate_size"),
					Act:   b.Str("hidden_act"),
					Fused: "input_linear", Down: "output_linear"})
			if b.Int("num_local_experts") <= 0 {
				return shared
			}
			e := nn.Routed(b, "num_local_experts", "intermediate_size")
			e.Router = "router"
			return b.Residual(nn.AddExperts(b, x, "block_sparse_moe", e), shared)
		})
}
