package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/audio"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "moonshine", Default: "MoonshineForConditionalGeneration",
	Classes: map[string]func(*Build){
		"MoonshineForConditionalGeneration": func(b *Build) {
			x, table := moonshine(b, b.Scope("model"))
			b.Output(stack.LMHead(b, x, "proj_out", b.Size("hidden_size"), b.Size("vocab_size"), false, table,
				stack.Tied(b)))
		},
		"MoonshineModel": func(b *Build) {
			x, _ := moonshine(b, b)
			b.Output(x)
		},
	}})

// moonshine reads the samples of a sound through three convolutions.
func moonshine(b *Build, root *Build) (x, table Node) {
	m, dim := root.Scope(stack.EncoderPath), b.Size("hidden_size")
	x = m.Add("unsqueeze", "", Args{build.Int("dim", 1)}, b.Input("input_values", audio.SoundSamples))
	x = m.Add("tanh", "", nil, audio.Conv1d(m, x, "conv1", audio.Convolution{In: 1, Out: dim, Kernel: 127, Stride: 64}))
	x = audio.GroupedNorm(m, x, "groupnorm", 1, dim)
	x = m.Add("gelu", "", nil, audio.Conv1d(m, x, "conv2",
		audio.Convolution{In: dim, Out: 2 * dim, Kernel: 7, Stride: 3, Bias: true}))
	x = m.Swap(m.Add("gelu", "", nil, audio.Conv1d(m, x, "conv3",
		audio.Convolution{In: 2 * dim, Out: dim, Kernel: 3, Stride: 2, Bias: true})))
	for i := range b.Int("encoder_num_hidden_layers") {
		l := m.Scope("layers.%d", i)
		x = l.Residual(x, nn.Attend(l, l.LayerNorm(x, "input_layernorm", dim, false), "self_attn",
			moonshineAttention(l, stack.EncoderPath, false)))
		y := l.LayerNorm(x, "post_attention_layernorm", dim, false)
		x = l.Residual(x, nn.MLP(l.Scope("mlp"), y, "fc1", "fc2", dim, b.Size("intermediate_size"), true,
			"encoder_hidden_act"))
	}
	memory := m.LayerNorm(x, "layer_norm", dim, false)
	m = root.Scope(stack.DecoderPath)
	table = m.Embedding(b.Tokens("decoder_input_ids", b.MaxPositions()), "embed_tokens", b.Size("vocab_size"), dim)
	x = table
	for i := range b.Int("decoder_num_hidden_layers") {
		l := m.Scope("layers.%d", i)
		x = l.Residual(x, nn.Attend(l, l.LayerNorm(x, "input_layernorm", dim, false), "self_attn",
			moonshineAttention(l, stack.DecoderPath, true)))
		cross := moonshineAttention(l, stack.DecoderPath, false)
		cross.Rotary, cross.Memory, cross.MemoryDim = false, memory, dim
		x = l.Residual(x, nn.Attend(l, l.LayerNorm(x, "post_attention_layernorm", dim, false), "encoder_attn", cross))
		y := l.LayerNorm(x, "final_layernorm", dim, false)
		x = l.Residual(x, nn.GatedMLP(l, y, "mlp",
			nn.Gated{Dim: dim, Hidden: b.Size("intermediate_size"), Bias: true, Act: b.Str("decoder_hidden_act"),
				Fused: "fc1", Down: "fc2"}))
	}
	return m.LayerNorm(x, "norm", dim, false), table
}

// moonshineAttention is that of a half. Each layer of the encoder writes its heads into the config that the decoder
// is built from afterwards, so the decoder has its own only behind no encoder.
func moonshineAttention(b *Build, half string, causal bool) nn.Attention {
	if b.Int("encoder_num_hidden_layers") > 0 {
		half = stack.EncoderPath
	}
	heads := b.Size(half + "_num_attention_heads")
	dim := b.Size("hidden_size")
	b.RefuseNull("head_dim")
	return nn.Attention{Dim: dim, Heads: heads, KV: b.SizeOr(half+"_num_key_value_heads", heads),
		HeadDim: b.SizeOr("head_dim", dim/heads),
		Bias:    b.Bool("attention_bias"), Rotary: true, Causal: causal, Base: b.RopeBase()}
}
