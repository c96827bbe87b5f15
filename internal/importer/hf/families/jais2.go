package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "jais2", Default: "Jais2ForCausalLM",
	Classes: stack.HeadedClasses("Jais2", jais2)})

// jais2 has layer norms, a plain network of squared ReLU, and biases unless told otherwise.
func jais2(*Build) stack.Decoder {
	return stack.Decoder{FinalNorm: stack.LastLayerNorm, Layer: func(b *Build, x Node, _ int64) Node {
		evenHeads(b)
		return plainLayer(b, x, nn.Rotary(b, 0).Biased(b.Bool("attention_bias")))
	}}
}
