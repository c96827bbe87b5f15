package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "cwm", Default: "CwmForCausalLM", Classes: stack.HeadedClasses("Cwm", cwm)})

// cwm is Llama, and three of four layers see only a window.
func cwm(b *Build) stack.Decoder {
	b.Divides("hidden_size", "num_attention_heads")
	return stack.Layered(func(b *Build, x Node, i int64) Node {
		return nn.PreNorm(b, x, b.Size("hidden_size"),
			func(x Node) Node {
				a := nn.RotaryAttention(b, 1_000_000)
				a.Bias, a.OutBias = false, false
				if nn.PerLayerText(b, "layer_types", i, cwmKind) == "sliding_attention" {
					a.Window = nn.WindowOf(b, nn.SlidingAttention)
				}
				return nn.Attend(b, x, "self_attn", a)
			},
			func(x Node) Node { return nn.DecoderMLP(b, x, b.Bool("mlp_bias")) })
	})(b)
}

func cwmKind(i int64) string {
	if i%4 == 0 {
		return "full_attention"
	}
	return "sliding_attention"
}
