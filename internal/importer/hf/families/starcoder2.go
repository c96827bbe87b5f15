package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "starcoder2", Default: "Starcoder2ForCausalLM",
	Classes: stack.HeadedClasses("Starcoder2", starcoder2, stack.SequenceClassification, stack.TokenClassification)})

// starcoder2 has layer norms and a plain network; one key decides on the biases of all projections.
func starcoder2(*Build) stack.Decoder {
	return stack.Decoder{FinalNorm: stack.LastLayerNorm, Layer: func(b *Build, x Node, _ int64) Node {
		b = b.With(b.IgnoreNull("head_dim"))
		bias := b.Bool("use_bias")
		a := nn.Rotary(b, 0).Biased(bias).Within(b.Or("sliding_window", 0))
		return nn.LayerNormed(b, x,
			func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
			func(x Node) Node {
				return nn.MLP(b.Scope("mlp"), x, "c_fc", "c_proj", a.Dim, b.Size("intermediate_size"), bias,
					"hidden_act")
			})
	}}
}
