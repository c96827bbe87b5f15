package hf

var _ = define(Family{Type: "falcon", Default: "FalconForCausalLM", Classes: topped("FalconForCausalLM", "FalconModel", falcon, gptHeads("Falcon")...)})

// falcon has rotary positions or ALiBi, few heads of keys and values, and in most models attention and network side by side.
func falcon(b *Build) Decoder {
	dim, heads := b.SizeOr("n_embed", b.Size("hidden_size")), b.Size("num_attention_heads")
	if dim%heads != 0 {
		fail(CodeContradiction, b.at("hidden_size"), "is %d, which is no multiple of num_attention_heads, %d", dim, heads)
	}
	if b.Bool("new_decoder_architecture") && !b.Bool("parallel_attn") {
		b.Note("new_decoder_architecture needs parallel_attn: transformers builds the model, but it fails when it is called")
	}
	var slopes Node
	return Decoder{Prefix: "transformer", Embed: "word_embeddings", Layers: "h", Norm: "ln_f", FinalNorm: lastLayerNorm, Dim: dim,
		Embedded: func(b *Build, x Node) Node {
			if b.Bool("alibi") {
				slopes = b.slopes(x, heads)
			}
			return x
		},
		Layer: func(b *Build, x Node, _ int64) Node {
			a := b.falconAttention(dim, heads)
			return b.falconLayer(x, dim,
				func(x Node) Node {
					if b.Bool("alibi") {
						return b.attendBiased(x, "self_attention", a, slopes)
					}
					y := b.Attend(x, "self_attention", a)
					if a.KV == 1 && a.Heads > 1 {
						b.way(y, "broadcast")
					}
					return y
				},
				func(x Node) Node {
					return b.Scope("mlp").MLP(x, "dense_h_to_4h", "dense_4h_to_h", dim, b.SizeOr("ffn_hidden_size", 4*dim), b.Bool("bias"), "activation")
				})
		}}
}

func (b *Build) falconAttention(dim, heads int64) Attention {
	a := Attention{Dim: dim, Heads: heads, KV: heads, HeadDim: dim / heads, Rotary: !b.Bool("alibi"), Causal: true, Base: b.baseOf("", 0),
		Fused: "query_key_value", O: "dense"}
	switch {
	case b.Bool("new_decoder_architecture"):
		a.KV = b.SizeOr("num_kv_heads", heads)
	case b.Bool("multi_query"):
		a.KV = 1
	}
	return a.biased(b.Bool("bias"))
}

// falconLayer has one norm for both branches, or one for each; or the branches follow each other.
func (b *Build) falconLayer(x Node, dim int64, attend, feed func(x Node) Node) Node {
	if !b.Bool("parallel_attn") {
		return b.preNormed(x, func(x Node, name string) Node { return b.LayerNorm(x, name, dim, true) }, attend, feed)
	}
	norms := b.Or("num_ln_in_parallel_attn", 0)
	if !b.Has("num_ln_in_parallel_attn") && b.Bool("new_decoder_architecture") {
		norms = 2
	}
	if norms != 2 {
		h := b.LayerNorm(x, "input_layernorm", dim, true)
		return b.parallel(x, attend(h), feed(h))
	}
	attended := attend(b.LayerNorm(x, "ln_attn", dim, true))
	return b.parallel(x, attended, feed(b.LayerNorm(x, "ln_mlp", dim, true)))
}
