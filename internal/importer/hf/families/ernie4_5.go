package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "ernie4_5", Default: "Ernie4_5ForCausalLM",
	Classes: stack.HeadedClasses("Ernie4_5", stack.Layered(func(b *Build, x Node, _ int64) Node {
		return nn.PreNorm(b, x, b.Size("hidden_size"), func(x Node) Node { return ernieAttention(b, x) },
			func(x Node) Node { return nn.DecoderMLP(b, x, b.Bool("use_bias")) })
	}))})

// ernieAttention takes its biases from use_bias.
func ernieAttention(b *Build, x Node) Node {
	a := nn.RotaryAttention(b, 500_000)
	a.Bias = b.Bool("use_bias")
	a.OutBias = a.Bias
	return nn.Attend(b, x, "self_attn", a)
}
