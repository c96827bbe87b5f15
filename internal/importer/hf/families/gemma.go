package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "gemma", Default: "GemmaForCausalLM",
	Classes: stack.HeadedClasses("Gemma", stack.Layered(gemmaLayer), stack.SequenceClassification,
		stack.TokenClassification)})

// gemmaLayer is that of Llama with a network gated by GELU. The factor of the embedding has no component.
func gemmaLayer(b *Build, x Node, _ int64) Node {
	return nn.PreNorm(b, x, b.Size("hidden_size"),
		func(x Node) Node {
			a := nn.RotaryAttention(b, 0)
			a.Causal = !b.Bool("use_bidirectional_attention")
			return nn.Attend(b, x, "self_attn", a)
		},
		func(x Node) Node { return nn.DecoderMLP(b, x, false) })
}
