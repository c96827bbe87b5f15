package hf

var _ = define(Family{Type: "minicpm3", Default: "MiniCPM3ForCausalLM", Classes: headed("MiniCPM3", minicpm3, sequences)})

// minicpm3 is a dense model with latent attention.
func minicpm3(b *Build) Decoder {
	b.divides("hidden_size", "num_attention_heads")
	return layered(func(b *Build, x Node, _ int64) Node {
		return b.PreNorm(x, b.Size("hidden_size"), b.latentAttention, func(x Node) Node { return b.mlp(x, b.Bool("mlp_bias")) })
	})(b)
}
