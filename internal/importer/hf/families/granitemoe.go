package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var (
	_ = family.Define(family.Family{Type: "granitemoe", Default: "GraniteMoeForCausalLM",
		Classes: stack.HeadedClasses("GraniteMoe", stack.Layered(graniteMoE))})
	_ = family.Define(family.Family{Type: "granitemoeshared", Default: "GraniteMoeSharedForCausalLM",
		Classes: stack.HeadedClasses("GraniteMoeShared", stack.Layered(graniteMoE))})
	_ = family.Define(family.Family{Type: "granitemoe_swa", Default: "GraniteMoeSWAForCausalLM",
		Classes: stack.HeadedClasses("GraniteMoeSWA", stack.Layered(graniteMoESWA))})
)

// graniteMoE is granite with experts, and beside them a shared network where shared_intermediate_size is not 0.
func graniteMoE(b *Build, x Node, _ int64) Node {
	return graniteLayer(b, x, nn.Rotary(b, 0).Biased(b.Bool("attention_bias")),
		func(x Node) Node { return graniteExperts(b, x) })
}

// graniteMoESWA has the attention of graniteSWA.
func graniteMoESWA(b *Build, x Node, i int64) Node {
	return graniteLayer(b, x, graniteSink(b, i), func(x Node) Node { return graniteExperts(b, x) })
}

func graniteExperts(b *Build, x Node) Node {
	e := nn.Routed(b, "num_local_experts", "intermediate_size")
	e.Router = "router"
	y := nn.AddExperts(b, x, "block_sparse_moe", e)
	knows := b.Declares("shared_intermediate_size")
	if !knows || b.Int("shared_intermediate_size") == 0 {
		return y
	}
	shared := nn.GatedMLP(b, x, "shared_mlp",
		nn.Gated{Dim: e.Dim, Hidden: b.Size("shared_intermediate_size"), Act: b.Str("hidden_act"),
			Fused: "input_linear", Down: "output_linear"})
	return b.Residual(y, shared)
}
