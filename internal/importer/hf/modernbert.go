package hf

var _ = define(Family{Type: "modernbert", Default: "ModernBertForMaskedLM", Classes: modernBertClasses()})

func modernBertClasses() map[string]func(*Build) {
	e := Encoder{Prefix: "model", Model: modernBert, Words: func(b *Build, x, table Node) Node {
		return b.LMHead(b.Scope("head").modernHead(x), "decoder", b.Size("hidden_size"), b.Size("vocab_size"), b.Bool("decoder_bias"), table, b.Bool("tie_word_embeddings"))
	}, Whole: func(b, _ *Build, x Node) Node {
		if b.Is("classifier_pooling", "mean") {
			x = b.Add("mean", "head", Args{Int("dim", 1)}, x)
		} else {
			x = b.front(x, "head")
		}
		return b.Linear(b.Scope("head").modernHead(x), "classifier", b.Size("hidden_size"), b.NumLabels(), true)
	}}
	classes := e.classes("ModernBert", masked, sequences)
	for _, head := range []string{tokens, answers} {
		classes["ModernBert"+head] = func(b *Build) {
			x, _ := modernBert(b.Scope("model"))
			b.Output(b.Linear(b.Scope("head").modernHead(x), "classifier", b.Size("hidden_size"), b.NumLabels(), true))
		}
	}
	return classes
}

// modernBert has rotary positions and a network gated by GELU, each behind a norm that may have no bias. Two layers of three see
// only a window around each position; the scores outside of it are computed, too, and masked.
func modernBert(b *Build) (x, table Node) {
	table = b.tokens(b.MaxPositions(), "embeddings.tok_embeddings", b.Size("hidden_size"))
	return b.modernBertLayers(table), table
}

// modernBertLayers is what follows the embedding of the tokens.
func (b *Build) modernBertLayers(x Node) Node {
	dim, bias := b.Size("hidden_size"), b.Bool("norm_bias")
	x = b.LayerNorm(x, "embeddings.norm", dim, bias)
	for i := range b.Int("num_hidden_layers") {
		l, y := b.Scope("layers.%d", i), x
		if i > 0 { // the embedding was just normalised
			y = l.LayerNorm(x, "attn_norm", dim, bias)
		}
		x = l.Residual(x, l.Attend(y, "attn", l.modernBertAttention(i)))
		x = l.Residual(x, l.Gated(l.LayerNorm(x, "mlp_norm", dim, bias), "mlp", Gated{Dim: dim, Hidden: b.Size("intermediate_size"), Bias: b.Bool("mlp_bias"),
			Act: b.Str("hidden_activation"), Fused: "Wi", Down: "Wo"}))
	}
	return b.LayerNorm(x, "final_norm", dim, bias)
}

func (b *Build) modernBertAttention(i int64) Attention {
	a := Bert{}.attention(b)
	a.Bias, a.OutBias = b.Bool("attention_bias"), b.Bool("attention_bias")
	a.Rotary, a.Fused, a.O = true, "Wqkv", "Wo"
	every := max(b.Or("global_attn_every_n_layers", 3), 1)
	kind := b.kind("layer_types", i, either(i%every == 0, full, sliding))
	key, base := "local_rope_theta", 10_000.0
	if kind == full {
		key, base = "global_rope_theta", 160_000.0
	}
	if b.Has(key) {
		base = b.Float(key)
	}
	a.Base = b.baseOf(kind, base)
	return a
}
