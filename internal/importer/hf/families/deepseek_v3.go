package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "deepseek_v3", Default: "DeepseekV3ForCausalLM",
	Classes: stack.HeadedClasses("DeepseekV3", stack.Layered(func(b *Build, x Node, i int64) Node {
		return nn.PreNorm(b, x, b.Size("hidden_size"), func(x Node) Node { return nn.LatentAttention(b, x) },
			func(x Node) Node { return deepseekNetwork(b, x, i >= b.Int("first_k_dense_replace"), false) })
	}), stack.SequenceClassification, stack.TokenClassification)})
