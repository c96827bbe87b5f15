package hf

var _ = define(Family{Type: "exaone4", Default: "Exaone4ForCausalLM", Classes: headed("Exaone4", layered(func(b *Build, x Node, i int64) Node {
	return b.sandwich(x, norms{afterAttention: "post_attention_layernorm", afterFeed: "post_feedforward_layernorm"},
		func(x Node) Node { return b.exaoneAttention(x, i) }, func(x Node) Node { return b.mlp(x, false) })
}), sequences, tokens, oldAnswers)})

// exaoneAttention normalises queries and keys. Where some layers see only a window, the others have no positions.
func (b *Build) exaoneAttention(x Node, i int64) Node {
	a := b.rotaryAttention(0)
	a.Norm, a.Bias, a.OutBias = HeadRMS, false, false
	if b.Has("sliding_window") {
		if a.Rotary = b.slidesEvery(i, "sliding_window_pattern", 4); a.Rotary {
			a.Window = b.windowOf(sliding)
		}
	}
	return b.Attend(x, "self_attn", a)
}
