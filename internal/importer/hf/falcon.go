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
						return b.attendSloped(x, "self_attention", a, slopes)
					}
					y := b.Attend(x, "self_attention", a)
					if a.KV == 1 && a.Heads > 1 {
						b.way(y, "broadcast")
					} else {
						b.way(y, "masked")
					}
					return y
				},
				func(x Node) Node {
					m, hidden := b.Scope("mlp"), b.SizeOr("ffn_hidden_size", 4*dim)
					x = m.Activation(m.falconLinear(x, "dense_h_to_4h", dim, hidden), "activation")
					return m.falconLinear(x, "dense_4h_to_h", hidden, dim)
				})
		}}
}

// falconLinear is a linear map whose bias is added to its product, so that autocast leaves the sum in 32 bits.
func (b *Build) falconLinear(x Node, name string, in, out int64) Node {
	bias := b.Bool("bias")
	n := b.Linear(x, name, in, out, bias)
	if bias {
		b.way(n, "added")
	}
	return n
}

// attendSloped is attention with ALiBi. Where keys and values have one head, nobody repeats it.
func (b *Build) attendSloped(x Node, name string, a Attention, slopes Node) Node {
	a = a.filled()
	m := b.Scope("%s", name)
	wide, narrow := a.Heads*a.HeadDim, a.KV*a.HeadDim
	all := m.falconLinear(x, a.Fused, a.Dim, wide+2*narrow)
	y := m.Core(m.Slice(all, 0, wide), m.Slice(all, wide, wide+narrow), m.Slice(all, wide+narrow, wide+2*narrow), a.Heads, a.KV, a.Causal, slopes)
	if a.KV == 1 && a.Heads > 1 {
		m.way(y, "broadcast")
	}
	return m.falconLinear(y, a.O, wide, a.Dim)
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
