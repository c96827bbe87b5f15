package hf

var _ = define(Family{Type: "llama", Default: "LlamaForCausalLM", Classes: decoders("Llama", llama)})

// llama is grouped-query attention with rotary positions and a network gated by SiLU, each behind an RMS norm.
func llama(b *Build) Decoder {
	return Decoder{Layer: func(b *Build, x Node, _ int64) Node {
		dim := b.Size("hidden_size")
		return b.PreNorm(x, dim,
			func(x Node) Node {
				bias := b.Bool("attention_bias")
				return b.Attend(x, "self_attn", Attention{Dim: dim, Heads: b.Size("num_attention_heads"), KV: b.KVHeads(), HeadDim: b.HeadDim(),
					Bias: bias, OutBias: bias, Rotary: true, Causal: true, Base: b.RopeBase()})
			},
			func(x Node) Node {
				return b.Gated(x, "mlp", Gated{Dim: dim, Hidden: b.Size("intermediate_size"), Bias: b.Bool("mlp_bias"), Act: b.Str("hidden_act")})
			})
	}}
}
