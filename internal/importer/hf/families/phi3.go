package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "phi3", Default: "Phi3ForCausalLM",
	Classes: stack.HeadedClasses("Phi3", stack.Layered(phi3), stack.SequenceClassification, stack.TokenClassification)})

// phi3 is llama with one projection for queries, keys and values, and one for gate and up.
func phi3(b *Build, x Node, _ int64) Node {
	a := nn.PartlyRotary(b, nn.Rotary(b, 0).Within(b.Or("sliding_window", 0)), "", 1, false)
	a.Fused = "qkv_proj"
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
		func(x Node) Node {
			return nn.GatedMLP(b, x, "mlp", nn.Gated{Dim: a.Dim, Hidden: b.Size("intermediate_size"),
				Act: b.Str("hidden_act"), Fused: "gate_up_proj"})
		})
}
