package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "cohere2", Default: "Cohere2ForCausalLM",
	Classes: stack.HeadedClasses("Cohere2", func(b *Build) stack.Decoder {
		return cohereDecoder(b, func(b *Build, x Node, i int64) Node {
			return windowedOnly(b, x, nn.SlidesEvery(b, i, "sliding_window_pattern", 4))
		})
	})})

// windowedOnly is attention that has positions only where it sees a window.
func windowedOnly(b *Build, x Node, slides bool) Node {
	a := nn.RotaryAttention(b, 0)
	if slides {
		a.Window = nn.WindowOf(b, nn.SlidingAttention)
	}
	a.Rotary = a.Window > 0
	return nn.Attend(b, x, "self_attn", a)
}
