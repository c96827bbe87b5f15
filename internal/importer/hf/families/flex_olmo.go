package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "flex_olmo", Default: "FlexOlmoForCausalLM",
	Classes: stack.HeadedClasses("FlexOlmo", stack.Layered(func(b *Build, x Node, _ int64) Node {
		return nn.Sandwich(b, x, nn.SandwichNorms{AfterAttention: "post_attention_layernorm",
			AfterFeed: "post_feedforward_layernorm"},
			func(x Node) Node {
				a := nn.RotaryAttention(b, 500_000)
				a.Norm = nn.FullRMS
				return nn.Attend(b, x, "self_attn", a)
			},
			func(x Node) Node {
				return nn.AddExperts(b, x, "mlp", nn.Experts{Dim: b.Size("hidden_size"), Count: b.Size("num_experts"),
					TopK: b.Size("num_experts_per_tok"), Hidden: b.Size("intermediate_size")})
			})
	}))})
