package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "glm4_moe_lite", Default: "Glm4MoeLiteForCausalLM",
	Classes: stack.HeadedClasses("Glm4MoeLite", stack.Layered(func(b *Build, x Node, i int64) Node {
		return nn.PreNorm(b, x, b.Size("hidden_size"), func(x Node) Node { return nn.LatentAttention(b, x) },
			func(x Node) Node { return deepseekNetwork(b, x, nn.IsSparse(b, i, 1), false) })
	}))})
