package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "exaone_moe", Default: "ExaoneMoeForCausalLM",
	Classes: stack.HeadedClasses("ExaoneMoe", stack.Layered(func(b *Build, x Node, i int64) Node {
		return nn.PreNorm(b, x, b.Size("hidden_size"),
			func(x Node) Node { return exaoneAttention(b, x, i) },
			func(x Node) Node {
				if !nn.IsSparse(b, i, b.Int("first_k_dense_replace")) {
					return nn.DecoderMLP(b, x, false)
				}
				return expertsAndShared(b, x, nn.Experts{})
			})
	}))})

// expertsAndShared are num_experts experts and a shared network of the size of num_shared_experts of them.
func expertsAndShared(b *Build, x Node, e nn.Experts) Node {
	g := nn.DefaultGated(b, false)
	e.Dim, e.Count, e.TopK, e.Hidden = g.Dim, b.Size("num_experts"), b.Size("num_experts_per_tok"),
		b.Size("moe_intermediate_size")
	g.Hidden = e.Hidden * b.Int("num_shared_experts")
	return nn.Mixture(b, x, e, g)
}
