package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "olmoe", Default: "OlmoeForCausalLM",
	Classes: stack.HeadedClasses("Olmoe", stack.Layered(olmoe))})

// olmoe has experts, and norms of all heads of queries and keys at once. The norms are as wide as hidden_size,
// whatever the heads take of it.
func olmoe(b *Build, x Node, _ int64) Node {
	a := nn.Rotary(b, 0).Biased(b.Bool("attention_bias")).Filled()
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node {
			m := b.Scope("self_attn")
			q, k, v := nn.Project(m, x, a)
			q, k = m.RMSNorm(q, "q_norm", a.Dim), m.RMSNorm(k, "k_norm", a.Dim/a.Heads*a.KV)
			q, k = nn.Rotate(m, q, a.HeadDim, a.Base), nn.Rotate(m, k, a.HeadDim, a.Base)
			return m.Linear(m.Core(q, k, v, a.Heads, a.KV, true), "o_proj", a.Heads*a.HeadDim, a.Dim, a.OutBias)
		},
		func(x Node) Node { return nn.AddExperts(b, x, "mlp", nn.Routed(b, "num_experts", "intermediate_size")) })
}
