package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "apertus", Default: "ApertusForCausalLM",
	Classes: stack.HeadedClasses("Apertus", apertus, stack.TokenClassification)})

var apertus = stack.Layered(func(b *Build, x Node, _ int64) Node {
	return nn.Sandwich(b, x, nn.SandwichNorms{BeforeAttention: "attention_layernorm",
		BeforeFeed: "feedforward_layernorm"},
		func(x Node) Node {
			a := nn.RotaryAttention(b, 12_000_000)
			a.Norm = nn.HeadRMS
			return nn.Attend(b, x, "self_attn", a)
		},
		func(x Node) Node {
			dim, hidden, m := b.Size("hidden_size"), b.Size("intermediate_size"), b.Scope("mlp")
			x = m.Linear(x, "up_proj", dim, hidden, false)
			return m.Linear(xielu(m, x, hidden), "down_proj", hidden, dim, false)
		})
})

// xielu applies the activation that hidden_act names. That of Apertus has two trained numbers.
func xielu(b *Build, x Node, features int64) Node {
	if !b.Is("hidden_act", "xielu") {
		return b.Activation(x, "hidden_act")
	}
	n := b.Opaque(x, "act_fn", []int64{b.TextLength(), features}, b.TextLength(), build.T("alpha_p", 1),
		build.T("alpha_n", 1))
	b.As(n, transformers.XIELU{})
	return n
}
