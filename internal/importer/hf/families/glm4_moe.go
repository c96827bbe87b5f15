package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "glm4_moe", Default: "Glm4MoeForCausalLM",
	Classes: stack.HeadedClasses("Glm4Moe", stack.Layered(func(b *Build, x Node, i int64) Node {
		return nn.PreNorm(b, x, b.Size("hidden_size"),
			func(x Node) Node {
				a := nn.PartlyRotary(b, nn.RotaryAttention(b, 0), "", 0.5, false)
				a.OutBias = false
				if b.Bool("use_qk_norm") {
					a.Norm = nn.HeadRMS
				}
				return nn.Attend(b, x, "self_attn", a)
			},
			func(x Node) Node { return deepseekNetwork(b, x, i >= b.Int("first_k_dense_replace"), false) })
	}))})
