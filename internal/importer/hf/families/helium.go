package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "helium", Default: "HeliumForCausalLM",
	Classes: stack.HeadedClasses("Helium", stack.Layered(helium), stack.SequenceClassification,
		stack.TokenClassification)})

// helium is llama whose last projection of attention has no bias, and takes hidden_size whatever the heads give.
func helium(b *Build, x Node, _ int64) Node {
	a := nn.Rotary(b, 100_000)
	a.Bias = b.Bool("attention_bias")
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node {
			if a.Heads*a.HeadDim == a.Dim {
				return nn.Attend(b, x, "self_attn", a)
			}
			m := b.Scope("self_attn")
			return m.Linear(nn.Attended(m, x, a.Filled()), "o_proj", a.Dim, a.Dim, false)
		},
		func(x Node) Node { return nn.DecoderMLP(b, x, b.Bool("mlp_bias")) })
}
