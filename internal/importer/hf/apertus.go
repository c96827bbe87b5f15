package hf

var _ = define(Family{Type: "apertus", Default: "ApertusForCausalLM", Classes: headed("Apertus", apertus, tokens)})

var apertus = layered(func(b *Build, x Node, _ int64) Node {
	return b.sandwich(x, norms{beforeAttention: "attention_layernorm", beforeFeed: "feedforward_layernorm"},
		func(x Node) Node {
			a := b.rotaryAttention(12_000_000)
			a.Norm = HeadRMS
			return b.Attend(x, "self_attn", a)
		},
		func(x Node) Node {
			dim, hidden, m := b.Size("hidden_size"), b.Size("intermediate_size"), b.Scope("mlp")
			x = m.Linear(x, "up_proj", dim, hidden, false)
			return m.Linear(m.xielu(x, hidden), "down_proj", hidden, dim, false)
		})
})

// xielu applies the activation that hidden_act names. That of Apertus has two trained numbers.
func (b *Build) xielu(x Node, features int64) Node {
	if !b.Is("hidden_act", "xielu") {
		return b.Activation(x, "hidden_act")
	}
	n := b.Opaque(x, "act_fn", []int64{b.positions(), features}, b.positions(), T("alpha_p", 1), T("alpha_n", 1))
	b.way(n, "xielu")
	return n
}
