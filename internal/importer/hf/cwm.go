package hf

var _ = define(Family{Type: "cwm", Default: "CwmForCausalLM", Classes: headed("Cwm", cwm)})

// cwm is Llama, and three of four layers see only a window.
func cwm(b *Build) Decoder {
	b.divides("hidden_size", "num_attention_heads")
	return layered(func(b *Build, x Node, i int64) Node {
		return b.PreNorm(x, b.Size("hidden_size"),
			func(x Node) Node {
				a := b.rotaryAttention(1_000_000)
				a.Bias, a.OutBias = false, false
				if b.perLayerText("layer_types", i, cwmKind) == "sliding_attention" {
					a.Window = b.windowOf(sliding)
				}
				return b.Attend(x, "self_attn", a)
			},
			func(x Node) Node { return b.mlp(x, b.Bool("mlp_bias")) })
	})(b)
}

func cwmKind(i int64) string {
	if i%4 == 0 {
		return "full_attention"
	}
	return "sliding_attention"
}
