package hf

var _ = define(Family{Type: "speecht5", Default: "SpeechT5ForSpeechToText", Classes: map[string]func(*Build){"SpeechT5ForSpeechToText": speechT5}})

// speechT5 listens through convolutions and an encoder whose attention knows distances, and writes text.
func speechT5(b *Build) {
	m, dim := b.Scope("speecht5"), b.Size("hidden_size")
	p := m.Scope("encoder.prenet")
	x, length := p.Scope("feature_encoder").waveEncoder()
	dims := b.Ints("conv_dim")
	x = p.Scope("feature_projection").waveProjection(x, dims[len(dims)-1], dim)
	p.maskVector(x, dim)
	x = p.Scope("pos_conv_embed").waveConvPositions(x, dim, length)
	x = m.Scope("encoder.wrapped_encoder").speechT5Encode(p.Sinusoids(x, dim), length)
	d := m.Scope("decoder.prenet")
	table := d.Embedding(b.Tokens("decoder_input_ids", b.Int("max_text_positions")), "embed_tokens", b.Size("vocab_size"), dim)
	c := b.Config.named("d_model", "hidden_size").named("activation_function", "hidden_act")
	s := Seq2Seq{Feed: func(b *Build, x Node, half string, _ int64) Node {
		return b.feedDense(x, "feed_forward", dim, b.Size(half+"_ffn_dim"), b.Str("hidden_act"))
	}}.filled()
	x = m.Scope("decoder.wrapped_decoder").With(c).decodeHere(s, d.Sinusoids(table, dim), x)
	b.Output(b.LMHead(x, "text_decoder_postnet.lm_head", dim, b.Size("vocab_size"), false, table, b.tied()))
}

func (b *Build) speechT5Encode(x Node, length int64) Node {
	dim, heads := b.Size("hidden_size"), b.heads("encoder_attention_heads", "hidden_size")
	x = b.LayerNorm(x, "layer_norm", dim, true)
	table := b.Param(x, "embed_positions.pe_k.weight", 2*b.Size("encoder_max_relative_position"), dim/heads)
	for i := range b.Int("encoder_layers") {
		l := b.Scope("layers.%d", i)
		a := l.Scope("attention")
		q, k, v := a.Linear(x, "q_proj", dim, dim, true), a.Linear(x, "k_proj", dim, dim, true), a.Linear(x, "v_proj", dim, dim, true)
		y := a.Core(q, k, v, heads, heads, false, a.Shaw(q, table, "position_bias", heads, dim/heads, length))
		x = l.LayerNorm(l.Residual(x, a.Linear(y, "out_proj", dim, dim, true)), "layer_norm", dim, true)
		x = l.LayerNorm(l.Residual(x, l.feedDense(x, "feed_forward", dim, b.Size("encoder_ffn_dim"), b.Str("hidden_act"))), "final_layer_norm", dim, true)
	}
	return x
}
