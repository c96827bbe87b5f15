package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "solar_open", Default: "SolarOpenForCausalLM",
	Classes: stack.HeadedClasses("SolarOpen", stack.Layered(solarOpen))})

// solarOpen has experts in every layer, beside shared ones.
func solarOpen(b *Build, x Node, _ int64) Node {
	a := nn.Rotary(b, 1e6)
	a.Bias = b.Bool("attention_bias")
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
		func(x Node) Node {
			e := nn.Routed(b, "n_routed_experts", "moe_intermediate_size")
			e.Shared = e.Hidden * b.Size("n_shared_experts")
			return nn.AddExperts(b, x, "mlp", e)
		})
}
