package hf

var _ = define(Family{Type: "bloom", Default: "BloomForCausalLM", Classes: topped("BloomForCausalLM", "BloomModel", bloom, gptHeads("Bloom")...)})

// bloom tells positions apart by ALiBi, and normalises what its embedding gives.
func bloom(b *Build) Decoder {
	dim, heads := b.SizeOr("n_embed", b.Size("hidden_size")), b.Size("n_head")
	if dim%heads != 0 {
		fail(CodeContradiction, b.at("hidden_size"), "is %d, which is no multiple of n_head, %d", dim, heads)
	}
	var slopes Node
	return Decoder{Prefix: "transformer", Embed: "word_embeddings", Layers: "h", Norm: "ln_f", FinalNorm: lastLayerNorm, Dim: dim, Count: b.Int("n_layer"),
		Embedded: func(b *Build, x Node) Node {
			slopes = b.slopes(x, heads)
			return b.LayerNorm(x, "word_embeddings_layernorm", dim, true)
		},
		Layer: func(b *Build, x Node, _ int64) Node {
			a := Attention{Dim: dim, Heads: heads, Causal: true, Fused: "query_key_value", O: "dense"}.biased(true)
			after := b.Bool("apply_residual_connection_post_layernorm") // whether the norm's result is added to, not what it was given
			around := func(x Node, name string, part func(x Node) Node) Node {
				h := b.LayerNorm(x, name, dim, true)
				if after {
					x = h
				}
				return b.Residual(x, part(h))
			}
			x = around(x, "input_layernorm", func(x Node) Node { return b.attendBiased(x, "self_attention", a, slopes) })
			return around(x, "post_attention_layernorm", func(x Node) Node {
				return b.Scope("mlp").plain(x, "dense_h_to_4h", "dense_4h_to_h", dim, 4*dim, true, "gelu")
			})
		}}
}
