package hf

var _ = define(Family{Type: "voxtral_realtime", Default: "VoxtralRealtimeForConditionalGeneration", Classes: map[string]func(*Build){
	"VoxtralRealtimeForConditionalGeneration": voxtralRealtime,
}})

// voxtralRealtime hears a few moments for each word: their features are added to the word's vector. The layers of its language
// model are scaled by a small network that reads how far the text lags behind.
func voxtralRealtime(b *Build) {
	audio, text := b.Part("audio_config", "voxtral_realtime_encoder", ""), b.Part("text_config", "voxtral_realtime_text", `{"vocab_size": 131072,
		"hidden_size": 3072, "intermediate_size": 9216, "num_hidden_layers": 26, "num_attention_heads": 32, "num_key_value_heads": 8,
		"max_position_embeddings": 131072, "rope_theta": 1000000.0, "head_dim": 128, "tie_word_embeddings": true, "sliding_window": 8192}`)
	m := b.Scope("model.language_model").With(text)
	dim, length, factor := m.Size("hidden_size"), b.Length(m.MaxPositions()), b.Size("downsample_factor")
	heard := b.Scope("model.audio_tower").With(audio).voxtralRealtimeEncode(length * factor)
	width := audio.Size("hidden_size") * factor
	heard = b.Projector(b.Scope("model.multi_modal_projector").Stack(heard, length, width), width, dim, dim, false, b.Str("projector_hidden_act"))
	table := m.Embedding(b.Input("input_ids", length), "embed_tokens", m.Size("vocab_size"), dim)
	x := m.Residual(table, heard)
	lag := b.Scope("model").Fixed(x, "time_embedding", 1, dim)
	for i := range m.Int("num_hidden_layers") {
		l := m.Scope("layers.%d", i)
		x = l.Residual(x, l.Attend(l.RMSNorm(x, "input_layernorm", dim), "self_attn", Attention{Dim: dim, Heads: l.Size("num_attention_heads"), KV: l.KVHeads(),
			HeadDim: l.HeadDim(), Rotary: true, Causal: true, Base: l.RopeBase(), Window: l.Or("sliding_window", 0)}))
		y, ada := l.RMSNorm(x, "post_attention_layernorm", dim), l.Scope("ada_rms_norm")
		scale := ada.Linear(ada.Add("gelu", "", nil, ada.Linear(lag, "linear1", dim, 32, false)), "linear2", 32, dim, false)
		y = l.Residual(y, l.Add("multiply", "", nil, y, scale))
		x = l.Residual(x, l.Gated(y, "mlp", Gated{Dim: dim, Hidden: l.Size("intermediate_size"), Act: l.Str("hidden_act")}))
	}
	x = m.RMSNorm(x, "norm", dim)
	b.Output(b.LMHead(x, "lm_head", dim, m.Size("vocab_size"), false, table, b.Bool("tie_word_embeddings")))
}

// voxtralRealtimeEncode reads twice as many moments as it gives positions, and never ahead.
func (b *Build) voxtralRealtimeEncode(positions int64) Node {
	dim, mels, hidden := b.Size("hidden_size"), b.Size("num_mel_bins"), b.Size("intermediate_size")
	e := b.Scope("embedder")
	past := func(x Node, n int64) Node { return e.Add("pad", "", Args{Ints("padding", n, 0)}, x) }
	x := past(b.Input("input_features", mels, 2*positions), 2)
	x = past(e.Add("gelu", "", nil, e.Conv1d(x, "conv1", Convolution{In: mels, Out: dim, Kernel: 3, Bias: true})), 1)
	x = e.Swap(e.Add("gelu", "", nil, e.Conv1d(x, "conv2", Convolution{In: dim, Out: dim, Kernel: 3, Stride: 2, Bias: true})))
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("layers.%d", i)
		x = l.Residual(x, l.Attend(l.RMSNorm(x, "self_attn_layer_norm", dim), "self_attn", Attention{Dim: dim, Heads: l.Size("num_attention_heads"), KV: l.KVHeads(),
			HeadDim: l.HeadDim(), Bias: true, OutBias: true, NoKeyBias: true, Rotary: true, Causal: true, Base: l.RopeBase(), Window: l.Or("sliding_window", 0)}))
		f := l.Scope("mlp")
		y := l.RMSNorm(x, "final_layer_norm", dim)
		gate := f.Activation(f.Linear(y, "gate_proj", dim, hidden, false), "hidden_act")
		y = f.Add("multiply", "", nil, gate, f.Linear(y, "up_proj", dim, hidden, false))
		x = l.Residual(x, f.Linear(y, "down_proj", hidden, dim, true))
	}
	return b.RMSNorm(x, "norm", dim)
}
