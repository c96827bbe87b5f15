package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "phi", Default: "PhiForCausalLM",
	Classes: stack.HeadedClasses("Phi", phi, stack.SequenceClassification, stack.TokenClassification)})

// phi has one layer norm for attention and network, which stand beside each other, and a bias on every projection.
func phi(*Build) stack.Decoder {
	return stack.Decoder{Norm: "final_layernorm", FinalNorm: stack.LastLayerNorm, HeadBias: true,
		Layer: func(b *Build, x Node, _ int64) Node {
			a := nn.PartlyRotary(b, nn.Rotary(b, 0).Biased(true), "", 0.5, true)
			a.O = "dense"
			if b.Bool("qk_layernorm") {
				a.Norm, a.QNorm, a.KNorm = nn.HeadLayerNorm, "q_layernorm", "k_layernorm"
			}
			y := b.LayerNorm(x, "input_layernorm", a.Dim, true)
			attended := nn.Attend(b, y, "self_attn", a)
			fed := nn.MLP(b.Scope("mlp"), y, "fc1", "fc2", a.Dim, b.Size("intermediate_size"), true, "hidden_act")
			return b.Add("add", "", nil, attended, fed, x)
		}}
}
