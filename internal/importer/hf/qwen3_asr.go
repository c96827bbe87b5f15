package hf

import "fmt"

var _ = define(Family{Type: "qwen3_asr", Default: "Qwen3ASRForConditionalGeneration", Classes: map[string]func(*Build){"Qwen3ASRForConditionalGeneration": qwen3ASR}})

// qwen3ASR reads a spectrogram in chunks, through three convolutions that halve both of its axes each. The graph reads one chunk.
func qwen3ASR(b *Build) {
	audio := b.Part("audio_config", "qwen3_asr_encoder", "")
	text := b.Part("text_config", "qwen3", b.unless("text_config", `{"hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 28,
		"num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128, "max_position_embeddings": 65536, "tie_word_embeddings": true}`))
	m := b.Scope("model.audio_tower").With(audio)
	dim, channels, height, width := m.Size("d_model"), m.Size("downsample_hidden_size"), m.Size("num_mel_bins"), 2*m.Size("n_window")
	x := m.Add("unsqueeze", "", Args{Int("dim", 1)}, b.Input("input_features", height, width))
	in := int64(1)
	for i := range 3 {
		x = m.Add("gelu", "", nil, m.Conv2d(x, fmt.Sprintf("conv2d%d", i+1), Convolution{In: in, Out: channels, Kernel: 3, Stride: 2, Padding: 1, Bias: true}))
		in, height, width = channels, (height+1)/2, (width+1)/2
	}
	x = m.Add("permute", "", Args{Ints("dims", 0, 3, 1, 2)}, x)
	x = m.Linear(m.Stack(x, width, channels*height), "conv_out", channels*height, dim, false)
	x = m.Add("positionalEncoding", "positional_embedding", Args{Int("maxLen", m.Size("max_position_embeddings")), Int("embedDim", dim)}, x)
	s := Seq2Seq{Pre: true, Last: "ln_post"}.filled()
	x = m.encodeHere(s, x)
	p, out := b.Scope("model.multi_modal_projector"), m.Size("output_dim")
	x = p.With(audio).Activation(p.Linear(x, "linear_1", dim, dim, true), "activation_function")
	b.Listen(text, p.Linear(x, "linear_2", dim, out, true))
}
