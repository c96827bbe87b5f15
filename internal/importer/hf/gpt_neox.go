package hf

var _ = define(Family{Type: "gpt_neox", Default: "GPTNeoXForCausalLM", Classes: topped("GPTNeoXForCausalLM", "GPTNeoXModel", gptNeoX, gptHeads("GPTNeoX")...)})

// gptNeoX has rotary positions in a share of each head, and attention and network side by side, each behind a norm of its own.
func gptNeoX(b *Build) Decoder {
	b.divides("hidden_size", "num_attention_heads")
	return Decoder{Prefix: "gpt_neox", Embed: "embed_in", Norm: "final_layer_norm", FinalNorm: lastLayerNorm, Layer: func(b *Build, x Node, _ int64) Node {
		a := b.neoX(0.25).biased(b.Bool("attention_bias"))
		attend := func(x Node) Node { return b.Attend(x, "attention", a) }
		feed := func(x Node) Node {
			return b.Scope("mlp").MLP(x, "dense_h_to_4h", "dense_4h_to_h", a.Dim, b.Size("intermediate_size"), true, "hidden_act")
		}
		if !b.Bool("use_parallel_residual") {
			return b.layerNormed(x, attend, feed)
		}
		attended := attend(b.LayerNorm(x, "input_layernorm", a.Dim, true))
		return b.parallel(x, attended, feed(b.LayerNorm(x, "post_attention_layernorm", a.Dim, true)))
	}}
}

// neoX is attention with one map for queries, keys and values, of whose heads a share turns: rotary_pct in older configs.
func (b *Build) neoX(share float64) Attention {
	if b.Has("rotary_pct") {
		share = b.Float("rotary_pct")
	}
	dim, heads := b.Size("hidden_size"), b.Size("num_attention_heads")
	a := Attention{Dim: dim, Heads: heads, HeadDim: dim / heads, Rotary: true, Causal: true, Base: b.baseOf("", 0), Fused: "query_key_value", O: "dense"}
	return b.partly(a, "", share, false)
}
