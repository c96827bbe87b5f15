package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/audio"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "fun_asr_nano", Default: "FunAsrNanoForConditionalGeneration",
	Classes: map[string]func(*Build){"FunAsrNanoForConditionalGeneration": funASR}})

// funASR reads stacked moments of a spectrogram. Its attention has a convolution of the values beside it.
func funASR(b *Build) {
	audioConfig := b.Part("audio_config", "fun_asr_nano_encoder", "")
	text := b.Part("text_config", "qwen3", b.Unless("text_config", `{"hidden_size": 1024, "intermediate_size": 3072,
		"num_hidden_layers": 28,
		"num_attention_heads": 16, "num_key_value_heads": 8, "max_position_embeddings": 40960, "tie_word_embeddings": true}`))
	out := text.Size("hidden_size")
	adaptor := b.Part("adaptor_config", "FunAsrNanoAdaptorConfig", "")
	if !b.Has("adaptor_config") {
		adaptor = adaptor.WithDefault("hidden_size", out).WithDefault("intermediate_size", out/4)
	}
	for i, key := range []string{"hidden_size", "intermediate_size"} {
		if n, want := adaptor.Size(key), []int64{out, out / 4}[i]; n != want {
			config.Fail(config.CodeContradiction, adaptor.At(key),
				"is %d but text_config.hidden_size, %d, asks for %d", n, out, want)
		}
	}
	m := b.Scope("model.audio_tower").With(audioConfig)
	dim, in, layers := m.Size("hidden_size"), m.Size("num_mel_bins")*m.Size("num_stacked_frames"),
		m.Int("num_hidden_layers")
	length := int64(audio.Moments) / m.Size("num_stacked_frames")
	x := m.Add("positionalEncoding", "position_embeddings",
		Args{build.Int("maxLen", m.Size("max_position_embeddings")-1), build.Int("embedDim", in)},
		b.Input("input_features", length, in))
	for i := range layers {
		l := m.Scope("layers.%d", i)
		width := dim
		if i == 0 {
			width = in
		}
		if x = funLayer(l, x, width, true); i == layers-1 || i == layers-m.Int("num_timestamp_prediction_layers")-1 {
			x = l.LayerNorm(x, "final_layernorm", dim, true)
		}
	}
	p := b.Scope("model.multi_modal_projector").With(adaptor)
	mid := p.Size("projector_hidden_size")
	x = p.Linear(p.Activation(p.Linear(x, "linear_1", dim, mid, true), "projector_hidden_act"), "linear_2", mid,
		p.Size("hidden_size"), true)
	for i := range p.Int("num_hidden_layers") {
		x = funLayer(p.Scope("layers.%d", i), x, out, false)
	}
	stack.Listen(b, text, x)
}

// funLayer has no residual around its attention where that changes the width.
func funLayer(b *Build, x Node, in int64, memory bool) Node {
	dim, heads := b.Size("hidden_size"), b.Size("num_attention_heads")
	a, y := b.Scope("self_attn"), b.LayerNorm(x, "input_layernorm", in, true)
	q, k, v := a.Linear(y, "q_proj", in, dim, true), a.Linear(y, "k_proj", in, dim, true),
		a.Linear(y, "v_proj", in, dim, true)
	y = a.Linear(a.Core(q, k, v, heads, heads, false), "o_proj", dim, dim, true)
	if memory {
		kernel := b.Size("fsmn_kernel_size")
		f := a.Scope("fsmn")
		padded := f.Add("pad", "", Args{build.Ints("padding", (kernel-1)/2, kernel-1-(kernel-1)/2)}, f.Swap(v))
		near := f.Swap(audio.Conv1d(f, padded, "conv",
			audio.Convolution{In: dim, Out: dim, Kernel: kernel, Groups: dim}))
		y = a.Residual(y, f.Residual(near, v))
	}
	if in == dim {
		y = b.Residual(x, y)
	}
	return b.Residual(y, nn.MLP(b.Scope("mlp"), b.LayerNorm(y, "post_attention_layernorm", dim, true), "fc1", "fc2",
		dim, b.Size("intermediate_size"), true, "hidden_act"))
}
