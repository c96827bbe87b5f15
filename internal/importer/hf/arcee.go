package hf

var _ = define(Family{Type: "arcee", Default: "ArceeForCausalLM", Classes: headed("Arcee", arcee, sequences, tokens, oldAnswers)})

// arcee is Llama with a plain feed-forward network.
func arcee(b *Build) Decoder {
	b.divides("hidden_size", "num_attention_heads")
	return layered(func(b *Build, x Node, _ int64) Node {
		dim := b.Size("hidden_size")
		return b.PreNorm(x, dim,
			func(x Node) Node { return b.Attend(x, "self_attn", b.rotaryAttention(0)) },
			func(x Node) Node {
				return b.Scope("mlp").MLP(x, "up_proj", "down_proj", dim, b.Size("intermediate_size"), b.Bool("mlp_bias"), "hidden_act")
			})
	})(b)
}
