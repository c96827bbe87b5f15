package families

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/importer/hf/audio"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "qwen3_asr", Default: "Qwen3ASRForConditionalGeneration",
	Classes: map[string]func(*Build){"Qwen3ASRForConditionalGeneration": qwen3ASR}})

// qwen3ASR reads a spectrogram in chunks, through three convolutions that halve both of its axes each. The graph
// reads one chunk.
func qwen3ASR(b *Build) {
	audioConfig := b.Part("audio_config", "qwen3_asr_encoder", "")
	text := b.Part("text_config", "qwen3", b.Unless("text_config", `{"hidden_size": 2048, "intermediate_size": 6144,
		"num_hidden_layers": 28,
		"num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128, "max_position_embeddings": 65536,
		"tie_word_embeddings": true}`))
	m := b.Scope("model.audio_tower").With(audioConfig)
	dim, channels, height, width := m.Size("d_model"), m.Size("downsample_hidden_size"), m.Size("num_mel_bins"),
		2*m.Size("n_window")
	x := m.Add("unsqueeze", "", Args{build.Int("dim", 1)}, b.Input("input_features", height, width))
	in := int64(1)
	for i := range 3 {
		x = m.Add("gelu", "", nil, audio.Conv2d(m, x, fmt.Sprintf("conv2d%d", i+1),
			audio.Convolution{In: in, Out: channels, Kernel: 3, Stride: 2, Padding: 1, Bias: true}))
		in, height, width = channels, (height+1)/2, (width+1)/2
	}
	x = m.Add("permute", "", Args{build.Ints("dims", 0, 3, 1, 2)}, x)
	x = m.Linear(stack.Stack(m, x, width, channels*height), "conv_out", channels*height, dim, false)
	x = m.Add("positionalEncoding", "positional_embedding",
		Args{build.Int("maxLen", m.Size("max_position_embeddings")), build.Int("embedDim", dim)}, x)
	s := stack.Seq2Seq{Pre: true, Last: "ln_post"}.Filled()
	x = stack.EncodeHere(m, s, x)
	p, out := b.Scope("model.multi_modal_projector"), m.Size("output_dim")
	x = p.With(audioConfig).Activation(p.Linear(x, "linear_1", dim, dim, true), "activation_function")
	stack.Listen(b, text, p.Linear(x, "linear_2", dim, out, true))
}
