package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/audio"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "voxtral_realtime", Default: "VoxtralRealtimeForConditionalGeneration",
	Classes: map[string]func(*Build){
		"VoxtralRealtimeForConditionalGeneration": voxtralRealtime,
	}})

// voxtralRealtime hears a few moments for each word: their features are added to the word's vector. The layers of its
// language model are scaled by a small network that reads how far the text lags behind.
func voxtralRealtime(b *Build) {
	audioConfig := b.Part("audio_config", "voxtral_realtime_encoder", "")
	text := b.Part("text_config", "voxtral_realtime_text", `{"vocab_size": 131072,
		"hidden_size": 3072, "intermediate_size": 9216, "num_hidden_layers": 26, "num_attention_heads": 32,
		"num_key_value_heads": 8,
		"max_position_embeddings": 131072, "rope_theta": 1000000.0, "head_dim": 128, "tie_word_embeddings": true,
		"sliding_window": 8192}`)
	m := b.Scope("model.language_model").With(text)
	dim, length, factor := m.Size("hidden_size"), b.Length(m.MaxPositions()), b.Size("downsample_factor")
	heard := voxtralRealtimeEncode(b.Scope("model.audio_tower").With(audioConfig), length*factor)
	width := audioConfig.Size("hidden_size") * factor
	heard = stack.Projector(b, stack.Stack(b.Scope("model.multi_modal_projector"), heard, length, width), width, dim,
		dim, false, b.Str("projector_hidden_act"))
	table := m.Embedding(b.Input("input_ids", length), "embed_tokens", m.Size("vocab_size"), dim)
	x := m.Residual(table, heard)
	lag := b.Scope("model").Constant(x, "time_embedding", 1, dim)
	for i := range m.Int("num_hidden_layers") {
		l := m.Scope("layers.%d", i)
		x = l.Residual(x, nn.Attend(l, l.RMSNorm(x, "input_layernorm", dim), "self_attn",
			nn.Attention{Dim: dim, Heads: l.Size("num_attention_heads"), KV: l.KVHeads(),
				HeadDim: l.HeadDim(), Rotary: true, Causal: true, Base: l.RopeBase(),
				Window: l.Or("sliding_window", 0)}))
		y, ada := l.RMSNorm(x, "post_attention_layernorm", dim), l.Scope("ada_rms_norm")
		scale := ada.Linear(ada.Add("gelu", "", nil, ada.Linear(lag, "linear1", dim, 32, false)), "linear2", 32, dim,
			false)
		y = l.Residual(y, l.Add("multiply", "", nil, y, scale))
		x = l.Residual(x, nn.GatedMLP(l, y, "mlp",
			nn.Gated{Dim: dim, Hidden: l.Size("intermediate_size"), Act: l.Str("hidden_act")}))
	}
	x = m.RMSNorm(x, "norm", dim)
	b.Output(stack.LMHead(b, x, "lm_head", dim, m.Size("vocab_size"), false, table, b.Bool("tie_word_embeddings")))
}

// voxtralRealtimeEncode reads twice as many moments as it gives positions, and never ahead.
func voxtralRealtimeEncode(b *Build, positions int64) Node {
	dim, mels, hidden := b.Size("hidden_size"), b.Size("num_mel_bins"), b.Size("intermediate_size")
	e := b.Scope("embedder")
	past := func(x Node, n int64) Node { return e.Add("pad", "", Args{build.Ints("padding", n, 0)}, x) }
	x := past(b.Input("input_features", mels, 2*positions), 2)
	x = past(e.Add("gelu", "", nil, audio.Conv1d(e, x, "conv1",
		audio.Convolution{In: mels, Out: dim, Kernel: 3, Bias: true})), 1)
	x = e.Swap(e.Add("gelu", "", nil, audio.Conv1d(e, x, "conv2",
		audio.Convolution{In: dim, Out: dim, Kernel: 3, Stride: 2, Bias: true})))
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("layers.%d", i)
		x = l.Residual(x, nn.Attend(l, l.RMSNorm(x, "self_attn_layer_norm", dim), "self_attn",
			nn.Attention{Dim: dim, Heads: l.Size("num_attention_heads"), KV: l.KVHeads(),
				HeadDim: l.HeadDim(), Bias: true, OutBias: true, NoKeyBias: true, Rotary: true, Causal: true,
				Base: l.RopeBase(), Window: l.Or("sliding_window", 0)}))
		f := l.Scope("mlp")
		y := l.RMSNorm(x, "final_layer_norm", dim)
		gate := f.Activation(f.Linear(y, "gate_proj", dim, hidden, false), "hidden_act")
		y = f.Add("multiply", "", nil, gate, f.Linear(y, "up_proj", dim, hidden, false))
		x = l.Residual(x, f.Linear(y, "down_proj", hidden, dim, true))
	}
	return b.RMSNorm(x, "norm", dim)
}
