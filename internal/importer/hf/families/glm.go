package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "glm", Default: "GlmForCausalLM",
	Classes: stack.HeadedClasses("Glm", stack.Layered(func(b *Build, x Node, _ int64) Node {
		return nn.PreNorm(b, x, b.Size("hidden_size"), func(x Node) Node { return glmAttention(b, x) },
			func(x Node) Node { return glmNetwork(b, x) })
	}), stack.SequenceClassification, stack.TokenClassification)})

// glmAttention rotates half of each head's features by the position; only its last projection has no bias.
func glmAttention(b *Build, x Node) Node {
	a := nn.PartlyRotary(b, nn.RotaryAttention(b, 0), "", 0.5, false)
	a.OutBias = false
	return nn.Attend(b, x, "self_attn", a)
}

// glmNetwork keeps the projections of gate and values in one.
func glmNetwork(b *Build, x Node) Node {
	g := nn.DefaultGated(b, false)
	g.Fused = "gate_up_proj"
	return nn.GatedMLP(b, x, "mlp", g)
}
