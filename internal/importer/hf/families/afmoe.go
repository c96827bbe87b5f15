package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "afmoe", Default: "AfmoeForCausalLM",
	Classes: stack.HeadedClasses("Afmoe", stack.Layered(func(b *Build, x Node, i int64) Node {
		return nn.Sandwich(b, x, nn.SandwichNorms{BeforeAttention: "input_layernorm",
			AfterAttention: "post_attention_layernorm", BeforeFeed: "pre_mlp_layernorm",
			AfterFeed: "post_mlp_layernorm"},
			func(x Node) Node { return afmoeAttention(b, x, i) },
			func(x Node) Node {
				if i < b.Int("num_dense_layers") {
					return nn.DecoderMLP(b, x, false)
				}
				return expertsAndShared(b, x, nn.Experts{Router: "router.gate", ScoreBias: "expert_bias"})
			})
	}))})

// afmoeAttention has positions only where it sees a window, and a gate computed from its input scales what the heads
// give.
func afmoeAttention(b *Build, x Node, i int64) Node {
	a := nn.RotaryAttention(b, 0)
	a.Norm, a.Rotary = nn.HeadRMS, nn.SlidesEvery(b, i, "global_attn_every_n_layers", 4)
	if a.Rotary {
		a.Window = nn.WindowOf(b, nn.SlidingAttention)
	}
	return nn.AttendThrough(b, x, "self_attn", a, func(m *Build, y Node) Node {
		gate := m.Linear(x, "gate_proj", a.Dim, a.Heads*a.HeadDim, false)
		return m.Add("multiply", "", nil, y, m.Add("sigmoid", "", nil, gate))
	})
}
