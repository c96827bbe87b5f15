package hf

var _ = define(Family{Type: "modernbert-decoder", Default: "ModernBertDecoderForCausalLM", Classes: map[string]func(*Build){
	"ModernBertDecoderForCausalLM": func(b *Build) {
		x, embedding := b.trunk(modernDecoder(b), "model")
		x = b.Scope("lm_head").modernHead(x)
		b.Output(b.LMHead(x, "decoder", b.Size("hidden_size"), b.Size("vocab_size"), b.Bool("decoder_bias"), embedding, b.Bool("tie_word_embeddings")))
	},
	"ModernBertDecoderModel": func(b *Build) { b.bareModel(modernDecoder(b)) },
	"ModernBertDecoderForSequenceClassification": func(b *Build) {
		x, _ := b.trunk(modernDecoder(b), "model")
		b.Output(b.Linear(b.Scope("head").modernHead(x), "classifier", b.Size("hidden_size"), b.NumLabels(), b.Bool("classifier_bias")))
	},
}})

// modernDecoder has layers that see everything and layers that see a window, with their own base of angles; the first layer has
// no norm before its attention, since the embedding has one behind it.
func modernDecoder(b *Build) Decoder {
	b.divides("hidden_size", "num_attention_heads")
	dim, bias := b.Size("hidden_size"), b.Bool("norm_bias")
	return Decoder{Embed: "embeddings.tok_embeddings", Norm: "final_norm",
		FinalNorm: func(b *Build, x Node, name string, dim int64) Node { return b.LayerNorm(x, name, dim, bias) },
		Embedded:  func(b *Build, x Node) Node { return b.LayerNorm(x, "embeddings.norm", dim, bias) },
		Layer: func(b *Build, x Node, i int64) Node {
			h := x
			if i > 0 {
				h = b.LayerNorm(x, "attn_norm", dim, bias)
			}
			x = b.Residual(x, b.Attend(h, "attn", b.modernAttention(dim, i)))
			h = b.LayerNorm(x, "mlp_norm", dim, bias)
			g := Gated{Dim: dim, Hidden: b.Size("intermediate_size"), Bias: b.Bool("mlp_bias"), Act: b.Str("hidden_activation"), Fused: "Wi", Down: "Wo"}
			return b.Residual(x, b.Gated(h, "mlp", g))
		}}
}

func (b *Build) modernAttention(dim, i int64) Attention {
	kind := b.perLayerText("layer_types", i, func(i int64) string { return either(i%b.SizeOr("global_attn_every_n_layers", 3) == 0, full, sliding) })
	a := Attention{Dim: dim, Heads: b.Size("num_attention_heads"), Rotary: true, Causal: true, O: "Wo"}.biased(b.Bool("attention_bias"))
	key, otherwise := "global_rope_theta", 160_000.0
	if kind == sliding {
		key, otherwise = "local_rope_theta", 10_000.0
		a.Window = max(b.Or("sliding_window", b.Or("local_attention", 0)/2), 0)
	}
	if b.Has(key) {
		otherwise = b.Float(key)
	}
	a.Base = b.baseOf(kind, otherwise)
	return a
}

// modernHead is what stands between the model and its last map.
func (b *Build) modernHead(x Node) Node {
	dim := b.Size("hidden_size")
	x = b.Activation(b.Linear(x, "dense", dim, dim, b.Bool("classifier_bias")), "classifier_activation")
	return b.LayerNorm(x, "norm", dim, b.Bool("norm_bias"))
}
