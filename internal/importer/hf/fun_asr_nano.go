package hf

var _ = define(Family{Type: "fun_asr_nano", Default: "FunAsrNanoForConditionalGeneration", Classes: map[string]func(*Build){"FunAsrNanoForConditionalGeneration": funASR}})

// funASR reads stacked moments of a spectrogram. Its attention has a convolution of the values beside it.
func funASR(b *Build) {
	audio := b.Part("audio_config", "fun_asr_nano_encoder", "")
	text := b.Part("text_config", "qwen3", b.unless("text_config", `{"hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28,
		"num_attention_heads": 16, "num_key_value_heads": 8, "max_position_embeddings": 40960, "tie_word_embeddings": true}`))
	out := text.Size("hidden_size")
	adaptor := b.Part("adaptor_config", "FunAsrNanoAdaptorConfig", "")
	if !b.Has("adaptor_config") {
		adaptor = adaptor.with("hidden_size", out).with("intermediate_size", out/4)
	}
	for i, key := range []string{"hidden_size", "intermediate_size"} {
		if n, want := adaptor.Size(key), []int64{out, out / 4}[i]; n != want {
			fail(CodeContradiction, adaptor.at(key), "is %d but text_config.hidden_size, %d, asks for %d", n, out, want)
		}
	}
	m := b.Scope("model.audio_tower").With(audio)
	dim, in, layers := m.Size("hidden_size"), m.Size("num_mel_bins")*m.Size("num_stacked_frames"), m.Int("num_hidden_layers")
	length := int64(moments) / m.Size("num_stacked_frames")
	x := m.Add("positionalEncoding", "position_embeddings", Args{Int("maxLen", m.Size("max_position_embeddings")-1), Int("embedDim", in)}, b.Input("input_features", length, in))
	for i := range layers {
		l := m.Scope("layers.%d", i)
		width := dim
		if i == 0 {
			width = in
		}
		if x = l.funLayer(x, width, true); i == layers-1 || i == layers-m.Int("num_timestamp_prediction_layers")-1 {
			x = l.LayerNorm(x, "final_layernorm", dim, true)
		}
	}
	p := b.Scope("model.multi_modal_projector").With(adaptor)
	mid := p.Size("projector_hidden_size")
	x = p.Linear(p.Activation(p.Linear(x, "linear_1", dim, mid, true), "projector_hidden_act"), "linear_2", mid, p.Size("hidden_size"), true)
	for i := range p.Int("num_hidden_layers") {
		x = p.Scope("layers.%d", i).funLayer(x, out, false)
	}
	b.Listen(text, x)
}

// funLayer has no residual around its attention where that changes the width.
func (b *Build) funLayer(x Node, in int64, memory bool) Node {
	dim, heads := b.Size("hidden_size"), b.Size("num_attention_heads")
	a, y := b.Scope("self_attn"), b.LayerNorm(x, "input_layernorm", in, true)
	q, k, v := a.Linear(y, "q_proj", in, dim, true), a.Linear(y, "k_proj", in, dim, true), a.Linear(y, "v_proj", in, dim, true)
	y = a.Linear(a.Core(q, k, v, heads, heads, false), "o_proj", dim, dim, true)
	if memory {
		kernel := b.Size("fsmn_kernel_size")
		f := a.Scope("fsmn")
		padded := f.Add("pad", "", Args{Ints("padding", (kernel-1)/2, kernel-1-(kernel-1)/2)}, f.Swap(v))
		near := f.Swap(f.Conv1d(padded, "conv", Convolution{In: dim, Out: dim, Kernel: kernel, Groups: dim}))
		y = a.Residual(y, f.Residual(near, v))
	}
	if in == dim {
		y = b.Residual(x, y)
	}
	return b.Residual(y, b.Scope("mlp").MLP(b.LayerNorm(y, "post_attention_layernorm", dim, true), "fc1", "fc2", dim, b.Size("intermediate_size"), true, "hidden_act"))
}
