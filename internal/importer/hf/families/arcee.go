package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "arcee", Default: "ArceeForCausalLM",
	Classes: stack.HeadedClasses("Arcee", arcee, stack.SequenceClassification, stack.TokenClassification,
		stack.OldQuestionAnswering)})

// arcee is Llama with a plain feed-forward network.
func arcee(b *Build) stack.Decoder {
	b.Divides("hidden_size", "num_attention_heads")
	return stack.Layered(func(b *Build, x Node, _ int64) Node {
		dim := b.Size("hidden_size")
		return nn.PreNorm(b, x, dim,
			func(x Node) Node { return nn.Attend(b, x, "self_attn", nn.RotaryAttention(b, 0)) },
			func(x Node) Node {
				return nn.MLP(b.Scope("mlp"), x, "up_proj", "down_proj", dim, b.Size("intermediate_size"),
					b.Bool("mlp_bias"), "hidden_act")
			})
	})(b)
}
