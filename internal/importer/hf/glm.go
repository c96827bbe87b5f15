package hf

var _ = define(Family{Type: "glm", Default: "GlmForCausalLM", Classes: headed("Glm", layered(func(b *Build, x Node, _ int64) Node {
	return b.PreNorm(x, b.Size("hidden_size"), b.glmAttention, b.glmNetwork)
}), sequences, tokens)})

// glmAttention turns half of each head's features by the position; only its last map has no bias.
func (b *Build) glmAttention(x Node) Node {
	a := b.partly(b.rotaryAttention(0), "", 0.5, false)
	a.OutBias = false
	return b.Attend(x, "self_attn", a)
}

// glmNetwork keeps the maps of gate and values in one.
func (b *Build) glmNetwork(x Node) Node {
	g := b.network(false)
	g.Fused = "gate_up_proj"
	return b.Gated(x, "mlp", g)
}
