package hf

var _ = define(Family{Type: "afmoe", Default: "AfmoeForCausalLM", Classes: headed("Afmoe", layered(func(b *Build, x Node, i int64) Node {
	return b.sandwich(x, norms{"input_layernorm", "post_attention_layernorm", "pre_mlp_layernorm", "post_mlp_layernorm"},
		func(x Node) Node { return b.afmoeAttention(x, i) },
		func(x Node) Node {
			if i < b.Int("num_dense_layers") {
				return b.mlp(x, false)
			}
			return b.expertsAndShared(x, Experts{Router: "router.gate", ScoreBias: "expert_bias"})
		})
}))})

// afmoeAttention has positions only where it sees a window, and a gate computed from its input scales what the heads give.
func (b *Build) afmoeAttention(x Node, i int64) Node {
	a := b.rotaryAttention(0)
	a.Norm, a.Rotary = HeadRMS, b.slidesEvery(i, "global_attn_every_n_layers", 4)
	if a.Rotary {
		a.Window = b.windowOf(sliding)
	}
	return b.attendThrough(x, "self_attn", a, func(m *Build, y Node) Node {
		gate := m.Linear(x, "gate_proj", a.Dim, a.Heads*a.HeadDim, false)
		return m.Add("multiply", "", nil, y, m.Add("sigmoid", "", nil, gate))
	})
}
