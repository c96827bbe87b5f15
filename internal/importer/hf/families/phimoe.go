package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "phimoe", Default: "PhimoeForCausalLM",
	Classes: stack.HeadedClasses("Phimoe", phimoe, stack.SequenceClassification)})

// phimoe is mixtral with layer norms and optional biases.
func phimoe(b *Build) stack.Decoder {
	return stack.Decoder{FinalNorm: stack.LastLayerNorm, HeadBias: b.Bool("lm_head_bias"),
		Layer: func(b *Build, x Node, _ int64) Node {
			a := nn.Rotary(b, 1e6).Biased(b.Bool("attention_bias")).Within(b.Or("sliding_window", 0))
			return nn.LayerNormed(b, x,
				func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
				func(x Node) Node {
					e := nn.Routed(b, "num_local_experts", "intermediate_size")
					e.Router = "router"
					return nn.AddExperts(b, x, "mlp", e)
				})
		}}
}
