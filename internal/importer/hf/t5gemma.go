package hf

var _ = define(Family{Type: "t5gemma", Default: "T5GemmaForConditionalGeneration", Classes: map[string]func(*Build){
	"T5GemmaForConditionalGeneration": func(b *Build) {
		x, table := b.t5Gemma(b.Scope("model"))
		d := b.Sub(decoder, "t5_gemma_module")
		b.Output(b.With(d).LMHead(x, "lm_head.out_proj", d.Size("hidden_size"), d.Size("vocab_size"), false, table, b.tied()))
	},
	"T5GemmaModel": func(b *Build) {
		x, _ := b.t5Gemma(b)
		b.Output(x)
	},
}})

// t5Gemma is an encoder and a decoder with the layers of Gemma 2: a norm on both sides of each branch.
func (b *Build) t5Gemma(m *Build) (x, table Node) {
	e := m.Scope(encoder).With(b.Sub(encoder, "t5_gemma_module"))
	memory := e.t5GemmaStack(e.Embedding(b.Tokens("input_ids", e.MaxPositions()), "embed_tokens", e.Size("vocab_size"), e.Size("hidden_size")),
		func(m *Build, x Node, i int64) Node { return m.t5GemmaFeed(m.t5GemmaAttend(x, i, false)) })
	d := m.Scope(decoder).With(b.Sub(decoder, "t5_gemma_module"))
	table = d.Embedding(b.Tokens("decoder_input_ids", d.MaxPositions()), "embed_tokens", d.Size("vocab_size"), d.Size("hidden_size"))
	x = d.t5GemmaStack(table, func(m *Build, x Node, i int64) Node {
		x = m.t5GemmaAttend(x, i, true)
		x = m.between(x, "cross_attn_layernorm", func(x Node) Node {
			a := m.t5GemmaAttention()
			a.Rotary, a.Memory, a.MemoryDim = false, memory, e.Size("hidden_size")
			return m.Attend(x, "cross_attn", a)
		})
		return m.t5GemmaFeed(x)
	})
	return x, table
}

func (b *Build) t5GemmaStack(x Node, layer func(m *Build, x Node, i int64) Node) Node {
	if b.Size("hidden_size")%b.Size("num_attention_heads") != 0 {
		fail(CodeContradiction, b.at("hidden_size"), "is %d, which is no multiple of num_attention_heads, %d", b.Int("hidden_size"), b.Int("num_attention_heads"))
	}
	x = b.drop(x, "dropout_rate")
	for i := range b.Int("num_hidden_layers") {
		x = layer(b.Scope("layers.%d", i), x, i)
	}
	return b.drop(b.RMSNorm(x, "norm", b.Size("hidden_size")), "dropout_rate")
}

// between adds a branch that has a norm ahead of it and one behind.
func (b *Build) between(x Node, norm string, branch func(x Node) Node) Node {
	dim := b.Size("hidden_size")
	return b.Residual(x, b.drop(b.RMSNorm(branch(b.RMSNorm(x, "pre_"+norm, dim)), "post_"+norm, dim), "dropout_rate"))
}

func (b *Build) t5GemmaAttention() Attention {
	bias := b.Bool("attention_bias")
	return Attention{Dim: b.Size("hidden_size"), Heads: b.Size("num_attention_heads"), KV: b.KVHeads(), HeadDim: b.HeadDim(), Bias: bias, OutBias: bias,
		Rotary: true, Base: b.RopeBase()}
}

// t5GemmaAttend is self-attention. Every second layer, from the first on, sees a window only.
func (b *Build) t5GemmaAttend(x Node, i int64, causal bool) Node {
	slides := b.t5GemmaSlides(i, 2)
	return b.between(x, "self_attn_layernorm", func(x Node) Node {
		a := b.t5GemmaAttention()
		if a.Causal = causal; slides && causal {
			a.Window = b.Or("sliding_window", 0)
		}
		return b.Attend(x, "self_attn", a)
	})
}

// t5GemmaSlides says whether a layer sees a window only: as layer_types says, else all but each so many.
func (b *Build) t5GemmaSlides(i, period int64) bool {
	kinds := b.Strs("layer_types")
	if len(kinds) == 0 {
		return (i+1)%period != 0
	}
	if int64(len(kinds)) != b.Int("num_hidden_layers") {
		fail(CodeContradiction, b.at("layer_types"), "has %d entries but num_hidden_layers is %d", len(kinds), b.Int("num_hidden_layers"))
	}
	return kinds[i] == "sliding_attention"
}

func (b *Build) t5GemmaFeed(x Node) Node {
	return b.between(x, "feedforward_layernorm", func(x Node) Node {
		n := b.Gated(x, "mlp", Gated{Dim: b.Size("hidden_size"), Hidden: b.Size("intermediate_size"), Act: b.Str("hidden_activation")})
		b.drops(n, "dropout_rate")
		return n
	})
}
