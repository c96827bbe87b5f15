package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "bitnet", Default: "BitNetForCausalLM",
	Classes: stack.HeadedClasses("BitNet", stack.Layered(func(b *Build, x Node, _ int64) Node {
		dim := b.Size("hidden_size")
		return nn.PreNorm(b, x, dim,
			func(x Node) Node {
				return nn.AttendThrough(b, x, "self_attn", nn.RotaryAttention(b, 500_000),
					func(m *Build, y Node) Node { return m.RMSNorm(y, "attn_sub_norm", dim) })
			},
			func(x Node) Node { return bitnetNetwork(b, x) })
	}))})

// bitnetNetwork is a gated network with a norm before its last projection.
func bitnetNetwork(b *Build, x Node) Node {
	dim, hidden, m := b.Size("hidden_size"), b.Size("intermediate_size"), b.Scope("mlp")
	gate := m.Activation(m.Linear(x, "gate_proj", dim, hidden, false), "hidden_act")
	y := m.Add("multiply", "", nil, gate, m.Linear(x, "up_proj", dim, hidden, false))
	return m.Linear(m.RMSNorm(y, "ffn_sub_norm", hidden), "down_proj", hidden, dim, false)
}
