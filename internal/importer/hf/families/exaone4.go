package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "exaone4", Default: "Exaone4ForCausalLM",
	Classes: stack.HeadedClasses("Exaone4", stack.Layered(func(b *Build, x Node, i int64) Node {
		return nn.Sandwich(b, x, nn.SandwichNorms{AfterAttention: "post_attention_layernorm",
			AfterFeed: "post_feedforward_layernorm"},
			func(x Node) Node { return exaoneAttention(b, x, i) },
			func(x Node) Node { return nn.DecoderMLP(b, x, false) })
	}), stack.SequenceClassification, stack.TokenClassification, stack.OldQuestionAnswering)})

// exaoneAttention normalises queries and keys. Where some layers see only a window, the others have no positions.
func exaoneAttention(b *Build, x Node, i int64) Node {
	a := nn.RotaryAttention(b, 0)
	a.Norm, a.Bias, a.OutBias = nn.HeadRMS, false, false
	if b.Has("sliding_window") {
		if a.Rotary = nn.SlidesEvery(b, i, "sliding_window_pattern", 4); a.Rotary {
			a.Window = nn.WindowOf(b, nn.SlidingAttention)
		}
	}
	return nn.Attend(b, x, "self_attn", a)
}
