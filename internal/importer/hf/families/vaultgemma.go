package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "vaultgemma", Default: "VaultGemmaForCausalLM",
	Classes: stack.HeadedClasses("VaultGemma", vaultgemma)})

// vaultgemma is Gemma 2 without the norms behind the branches.
func vaultgemma(b *Build) stack.Decoder {
	b.Divides("hidden_size", "num_attention_heads")
	return stack.Layered(func(b *Build, x Node, i int64) Node {
		return gemmaSandwich(b, x, nn.SandwichNorms{BeforeAttention: "input_layernorm",
			BeforeFeed: "pre_feedforward_layernorm"}, func(a *nn.Attention) {
			if nn.Slides(b, i, 2) {
				a.Window = nn.WindowOf(b, nn.SlidingAttention)
			}
		})
	})(b)
}
