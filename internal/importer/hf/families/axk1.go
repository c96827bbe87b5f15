package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "axk1", Default: "AXK1ForCausalLM",
	Classes: stack.HeadedClasses("AXK1", stack.Layered(func(b *Build, x Node, i int64) Node {
		return nn.PreNorm(b, x, b.Size("hidden_size"), func(x Node) Node { return nn.LatentAttention(b, x) },
			func(x Node) Node {
				sparse := i >= b.Int("first_k_dense_replace")
				y := deepseekNetwork(b, x, sparse, false)
				if sparse {
					y = b.RMSNorm(y, "mlp.post_mlp_layernorm", b.Size("hidden_size"))
				}
				return y
			})
	}), stack.SequenceClassification, stack.TokenClassification)})
