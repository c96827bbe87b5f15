package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "olmo", Default: "OlmoForCausalLM",
	Classes: stack.HeadedClasses("Olmo", olmo, stack.SequenceClassification)})

// olmo is llama with layer norms that have no weights.
func olmo(*Build) stack.Decoder {
	return stack.Decoder{FinalNorm: olmoNorm, Layer: func(b *Build, x Node, _ int64) Node {
		a := nn.Rotary(b, 0).Biased(b.Bool("attention_bias"))
		return nn.PreNormed(b, x, func(x Node, name string) Node { return olmoNorm(b, x, name, a.Dim) },
			func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
			func(x Node) Node { return nn.DecoderMLP(b, x, false) })
	}}
}

// olmoNorm upcasts its input to fp32, and casts its output back.
func olmoNorm(b *Build, x Node, name string, dim int64) Node {
	n := nn.PlainNorm(b, x, name, dim)
	b.As(n, transformers.LayerNorm{Wide: true})
	return n
}
