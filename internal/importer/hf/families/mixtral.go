package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "mixtral", Default: "MixtralForCausalLM",
	Classes: stack.HeadedClasses("Mixtral", stack.Layered(mixtral), stack.SequenceClassification,
		stack.TokenClassification, stack.QuestionAnswering)})

// mixtral is mistral with experts in the place of the network.
func mixtral(b *Build, x Node, _ int64) Node {
	a := nn.Rotary(b, 1e6).Within(b.Or("sliding_window", 0))
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
		func(x Node) Node {
			return nn.AddExperts(b, x, "mlp", nn.Routed(b, "num_local_experts", "intermediate_size"))
		})
}
