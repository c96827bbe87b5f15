package hf

var _ = define(Family{Type: "cohere2", Default: "Cohere2ForCausalLM", Classes: headed("Cohere2", func(b *Build) Decoder {
	return cohereDecoder(b, func(b *Build, x Node, i int64) Node {
		return b.windowedOnly(x, b.slidesEvery(i, "sliding_window_pattern", 4))
	})
})})

// windowedOnly is attention that has positions only where it sees a window.
func (b *Build) windowedOnly(x Node, slides bool) Node {
	a := b.rotaryAttention(0)
	if slides {
		a.Window = b.windowOf(sliding)
	}
	a.Rotary = a.Window > 0
	return b.Attend(x, "self_attn", a)
}
