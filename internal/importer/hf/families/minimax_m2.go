package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "minimax_m2", Default: "MiniMaxM2ForCausalLM",
	Classes: stack.HeadedClasses("MiniMaxM2", stack.Layered(miniMaxM2))})

// miniMaxM2 is mixtral with norms of all heads of queries and keys at once.
func miniMaxM2(b *Build, x Node, _ int64) Node {
	a := nn.PartlyRotary(b, nn.Rotary(b, 5e6), "", 1, false)
	a.Norm = nn.FullRMS
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
		func(x Node) Node {
			return nn.AddExperts(b, x, "mlp", nn.Routed(b, "num_local_experts", "intermediate_size"))
		})
}
