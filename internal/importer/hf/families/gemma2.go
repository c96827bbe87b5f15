package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "gemma2", Default: "Gemma2ForCausalLM",
	Classes: stack.HeadedClasses("Gemma2", gemma2, stack.SequenceClassification, stack.TokenClassification)})

var gemmaNorms = nn.SandwichNorms{BeforeAttention: "input_layernorm", AfterAttention: "post_attention_layernorm",
	BeforeFeed: "pre_feedforward_layernorm", AfterFeed: "post_feedforward_layernorm"}

// gemma2 has norms on both sides of each branch, and every second layer sees only a window.
func gemma2(b *Build) stack.Decoder {
	b.Divides("hidden_size", "num_attention_heads")
	return stack.Layered(func(b *Build, x Node, i int64) Node {
		return gemmaSandwich(b, x, gemmaNorms, func(a *nn.Attention) {
			a.Causal = !b.Bool("use_bidirectional_attention")
			if nn.Slides(b, i, 2) {
				a.Window = nn.WindowOf(b, nn.SlidingAttention)
			}
		})
	})(b)
}

// gemmaSandwich is a layer whose network is gated by hidden_activation; change says what is special about its
// attention.
func gemmaSandwich(b *Build, x Node, n nn.SandwichNorms, change func(a *nn.Attention)) Node {
	return nn.Sandwich(b, x, n,
		func(x Node) Node {
			a := nn.RotaryAttention(b, 0)
			change(&a)
			return nn.Attend(b, x, "self_attn", a)
		},
		func(x Node) Node {
			return nn.GatedMLP(b, x, "mlp", nn.Gated{Dim: b.Size("hidden_size"), Hidden: b.Size("intermediate_size"),
				Act: b.Str("hidden_activation")})
		})
}
