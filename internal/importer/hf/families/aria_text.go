package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "aria_text", Default: "AriaTextForCausalLM",
	Classes: stack.HeadedClasses("AriaText", ariaText)})

// ariaText is Llama with experts in every layer; their matrices are stored with the input's axis first.
func ariaText(b *Build) stack.Decoder {
	b.Divides("hidden_size", "num_attention_heads")
	return stack.Layered(func(b *Build, x Node, _ int64) Node {
		return nn.PreNorm(b, x, b.Size("hidden_size"),
			func(x Node) Node { return nn.Attend(b, x, "self_attn", nn.RotaryAttention(b, 0)) },
			func(x Node) Node {
				g := nn.DefaultGated(b, b.Bool("mlp_bias"))
				e := nn.Experts{Dim: g.Dim, Count: b.Size("moe_num_experts"), TopK: b.Size("moe_topk"),
					Hidden: g.Hidden, Router: "router", Run: transformers.Looped, List: ariaExperts}
				g.Hidden *= b.Int("moe_num_shared_experts")
				return nn.Mixture(b, x, e, g)
			})
	})(b)
}

func ariaExperts(m *Build, e nn.Experts) {
	m.Tensor("experts.fc1.weight", e.Count, e.Dim, 2*e.Hidden)
	m.Tensor("experts.fc2.weight", e.Count, e.Hidden, e.Dim)
}
