package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "deepseek_v2", Default: "DeepseekV2ForCausalLM",
	Classes: stack.HeadedClasses("DeepseekV2", deepseekV2, stack.SequenceClassification)})

// deepseekV2 has latent attention, and experts beside a shared network behind the first layers.
func deepseekV2(b *Build) stack.Decoder {
	b.Divides("hidden_size", "num_attention_heads")
	return stack.Layered(func(b *Build, x Node, i int64) Node {
		return nn.PreNorm(b, x, b.Size("hidden_size"), func(x Node) Node { return nn.LatentAttention(b, x) },
			func(x Node) Node {
				return deepseekNetwork(b, x, i >= b.Int("first_k_dense_replace"), b.Bool("mlp_bias"))
			})
	})(b)
}

// deepseekNetwork is a gated network, or experts and a shared network of the size of n_shared_experts of them. Whoever
// leaves num_experts_per_tok null, as the class of DeepSeek-V2 does, has a model that can be built and not run: one
// is assumed.
func deepseekNetwork(b *Build, x Node, sparse, bias bool) Node {
	g := nn.DefaultGated(b, bias)
	if !sparse {
		return nn.GatedMLP(b, x, "mlp", g)
	}
	e := nn.Experts{Dim: g.Dim, Count: routedExperts(b), TopK: b.SizeOr("num_experts_per_tok", 1),
		Hidden: b.Size("moe_intermediate_size")}
	g.Hidden = e.Hidden * b.Int("n_shared_experts")
	return nn.Mixture(b, x, e, g)
}

// routedExperts is n_routed_experts; the classes that came after DeepSeek-V3.2 let num_experts overrule it.
func routedExperts(b *Build) int64 {
	if b.Is("model_type", "deepseek_v32") || b.Is("model_type", "glm_moe_dsa") {
		return b.SizeOr("num_experts", b.Size("n_routed_experts"))
	}
	return b.Size("n_routed_experts")
}
