package hf

var _ = define(Family{Type: "dia", Default: "DiaForConditionalGeneration", Classes: map[string]func(*Build){
	"DiaForConditionalGeneration": func(b *Build) {
		d := b.Sub("decoder_config", "dia_decoder")
		b.Output(b.Linear(b.dia(b.Scope("model")), "logits_dense", d.Size("hidden_size"), d.Size("num_channels")*d.Size("vocab_size"), false))
	},
	"DiaModel": func(b *Build) { b.Output(b.dia(b)) },
}})

// dia turns text into the codes of a sound: at each moment one of every channel, whose vectors are added.
func (b *Build) dia(m *Build) Node {
	e, d := m.Scope(encoder).With(b.Sub("encoder_config", "dia_encoder")), m.Scope(decoder).With(b.Sub("decoder_config", "dia_decoder"))
	if delays, n := b.list("delay_pattern"), d.Size("num_channels"); delays != nil && int64(len(delays)) != n {
		fail(CodeContradiction, b.at("delay_pattern"), "has %d entries but num_channels is %d", len(delays), n)
	}
	dim := e.Size("hidden_size")
	x := e.Embedding(b.Tokens("input_ids", e.MaxPositions()), "embedding", e.Size("vocab_size"), dim)
	for i := range e.Int("num_hidden_layers") {
		l := e.Scope("layers.%d", i)
		x = l.Residual(x, l.Attend(l.RMSNorm(x, "pre_sa_norm", dim), "self_attention", l.diaAttention(false)))
		x = l.Residual(x, l.diaFeed(l.RMSNorm(x, "post_sa_norm", dim)))
	}
	memory := e.RMSNorm(x, "norm", dim)
	dim = d.Size("hidden_size")
	codes := b.Input("decoder_input_ids", b.Length(d.MaxPositions()), d.Size("num_channels"))
	x = d.Embedding(codes, "embeddings.embed", d.Size("vocab_size")*d.Size("num_channels"), dim)
	x = d.Add("sum", "embeddings", Args{Int("dim", 2)}, x)
	for i := range d.Int("num_hidden_layers") {
		l := d.Scope("layers.%d", i)
		x = l.Residual(x, l.Attend(l.RMSNorm(x, "pre_sa_norm", dim), "self_attention", l.diaAttention(true)))
		x = l.Residual(x, l.Attend(l.RMSNorm(x, "pre_ca_norm", dim), "cross_attention", Attention{Dim: dim, Heads: l.Size("cross_num_attention_heads"),
			KV: l.Size("cross_num_key_value_heads"), HeadDim: l.Size("cross_head_dim"), Memory: memory, MemoryDim: l.Size("cross_hidden_size")}))
		x = l.Residual(x, l.diaFeed(l.RMSNorm(x, "pre_mlp_norm", dim)))
	}
	return d.RMSNorm(x, "norm", dim)
}

func (b *Build) diaAttention(causal bool) Attention {
	return Attention{Dim: b.Size("hidden_size"), Heads: b.Size("num_attention_heads"), KV: b.KVHeads(), HeadDim: b.HeadDim(), Rotary: true, Causal: causal, Base: b.RopeBase()}
}

func (b *Build) diaFeed(x Node) Node {
	return b.Gated(x, "mlp", Gated{Dim: b.Size("hidden_size"), Hidden: b.Size("intermediate_size"), Act: b.Str("hidden_act"), Fused: "gate_up_proj"})
}
