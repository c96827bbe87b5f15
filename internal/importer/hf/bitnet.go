package hf

var _ = define(Family{Type: "bitnet", Default: "BitNetForCausalLM", Classes: headed("BitNet", layered(func(b *Build, x Node, _ int64) Node {
	dim := b.Size("hidden_size")
	return b.PreNorm(x, dim,
		func(x Node) Node {
			return b.attendThrough(x, "self_attn", b.rotaryAttention(500_000), func(m *Build, y Node) Node { return m.RMSNorm(y, "attn_sub_norm", dim) })
		},
		b.bitnetNetwork)
}))})

// bitnetNetwork is a gated network with a norm before its last map.
func (b *Build) bitnetNetwork(x Node) Node {
	dim, hidden, m := b.Size("hidden_size"), b.Size("intermediate_size"), b.Scope("mlp")
	gate := m.Activation(m.Linear(x, "gate_proj", dim, hidden, false), "hidden_act")
	y := m.Add("multiply", "", nil, gate, m.Linear(x, "up_proj", dim, hidden, false))
	return m.Linear(m.RMSNorm(y, "ffn_sub_norm", hidden), "down_proj", hidden, dim, false)
}
