package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "deepseek_v32", Default: "DeepseekV32ForCausalLM",
	Classes: stack.HeadedClasses("DeepseekV32", stack.Layered(func(b *Build, x Node, i int64) Node {
		return nn.PreNorm(b, x, b.Size("hidden_size"),
			func(x Node) Node { return nn.AttendIndexed(b, x, true, new(Node)) },
			func(x Node) Node {
				return deepseekNetwork(b, x, nn.IsSparse(b, i, b.Int("first_k_dense_replace")), false)
			})
	}))})
