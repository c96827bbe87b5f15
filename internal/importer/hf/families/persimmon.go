package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "persimmon", Default: "PersimmonForCausalLM",
	Classes: stack.HeadedClasses("Persimmon", persimmon, stack.SequenceClassification, stack.TokenClassification)})

// persimmon has layer norms, one projection for queries, keys and values, and a plain network, all with biases.
func persimmon(*Build) stack.Decoder {
	return stack.Decoder{Norm: "final_layernorm", FinalNorm: stack.LastLayerNorm,
		Layer: func(b *Build, x Node, _ int64) Node {
			b = b.With(b.IgnoreNull("head_dim"))
			a := nn.Rotary(b, 0).Biased(true)
			a.HeadDim, a.KV, a.Fused, a.O = evenHeads(b), a.Heads, "query_key_value", "dense"
			a = nn.PartlyRotary(b, a, "", 0.5, true)
			if b.Bool("qk_layernorm") {
				a.Norm, a.QNorm, a.KNorm = nn.HeadLayerNorm, "q_layernorm", "k_layernorm"
			}
			return nn.LayerNormed(b, x,
				func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
				func(x Node) Node {
					return nn.MLP(b.Scope("mlp"), x, "dense_h_to_4h", "dense_4h_to_h", a.Dim,
						b.Size("intermediate_size"),
						true, "hidden_act")
				})
		}}
}
