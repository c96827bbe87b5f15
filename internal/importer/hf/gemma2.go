package hf

var _ = define(Family{Type: "gemma2", Default: "Gemma2ForCausalLM", Classes: headed("Gemma2", gemma2, sequences, tokens)})

var gemmaNorms = norms{"input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm"}

// gemma2 has norms on both sides of each branch, and every second layer sees only a window.
func gemma2(b *Build) Decoder {
	b.divides("hidden_size", "num_attention_heads")
	return layered(func(b *Build, x Node, i int64) Node {
		return b.gemmaLayer(x, gemmaNorms, func(a *Attention) {
			a.Causal = !b.Bool("use_bidirectional_attention")
			if b.slides(i, 2) {
				a.Window = b.windowOf(sliding)
			}
		})
	})(b)
}

// gemmaLayer is a layer whose network is gated by hidden_activation; change says what is special about its attention.
func (b *Build) gemmaLayer(x Node, n norms, change func(a *Attention)) Node {
	return b.sandwich(x, n,
		func(x Node) Node {
			a := b.rotaryAttention(0)
			change(&a)
			return b.Attend(x, "self_attn", a)
		},
		func(x Node) Node {
			return b.Gated(x, "mlp", Gated{Dim: b.Size("hidden_size"), Hidden: b.Size("intermediate_size"), Act: b.Str("hidden_activation")})
		})
}
