package hf

var _ = define(Family{Type: "moonshine", Default: "MoonshineForConditionalGeneration", Classes: map[string]func(*Build){
	"MoonshineForConditionalGeneration": func(b *Build) {
		x, table := b.moonshine(b.Scope("model"))
		b.Output(b.LMHead(x, "proj_out", b.Size("hidden_size"), b.Size("vocab_size"), false, table, b.tied()))
	},
	"MoonshineModel": func(b *Build) {
		x, _ := b.moonshine(b)
		b.Output(x)
	},
}})

// moonshine reads the samples of a sound through three convolutions.
func (b *Build) moonshine(root *Build) (x, table Node) {
	m, dim := root.Scope(encoder), b.Size("hidden_size")
	x = m.Add("unsqueeze", "", Args{Int("dim", 1)}, b.Input("input_values", soundSamples))
	x = m.Add("tanh", "", nil, m.Conv1d(x, "conv1", Convolution{In: 1, Out: dim, Kernel: 127, Stride: 64}))
	x = m.GroupedNorm(x, "groupnorm", 1, dim)
	x = m.Add("gelu", "", nil, m.Conv1d(x, "conv2", Convolution{In: dim, Out: 2 * dim, Kernel: 7, Stride: 3, Bias: true}))
	x = m.Swap(m.Add("gelu", "", nil, m.Conv1d(x, "conv3", Convolution{In: 2 * dim, Out: dim, Kernel: 3, Stride: 2, Bias: true})))
	for i := range b.Int("encoder_num_hidden_layers") {
		l := m.Scope("layers.%d", i)
		x = l.Residual(x, l.Attend(l.LayerNorm(x, "input_layernorm", dim, false), "self_attn", l.moonshineAttention(encoder, false)))
		y := l.LayerNorm(x, "post_attention_layernorm", dim, false)
		x = l.Residual(x, l.Scope("mlp").MLP(y, "fc1", "fc2", dim, b.Size("intermediate_size"), true, "encoder_hidden_act"))
	}
	memory := m.LayerNorm(x, "layer_norm", dim, false)
	m = root.Scope(decoder)
	table = m.Embedding(b.Tokens("decoder_input_ids", b.MaxPositions()), "embed_tokens", b.Size("vocab_size"), dim)
	x = table
	for i := range b.Int("decoder_num_hidden_layers") {
		l := m.Scope("layers.%d", i)
		x = l.Residual(x, l.Attend(l.LayerNorm(x, "input_layernorm", dim, false), "self_attn", l.moonshineAttention(decoder, true)))
		cross := l.moonshineAttention(decoder, false)
		cross.Rotary, cross.Memory, cross.MemoryDim = false, memory, dim
		x = l.Residual(x, l.Attend(l.LayerNorm(x, "post_attention_layernorm", dim, false), "encoder_attn", cross))
		y := l.LayerNorm(x, "final_layernorm", dim, false)
		x = l.Residual(x, l.Gated(y, "mlp", Gated{Dim: dim, Hidden: b.Size("intermediate_size"), Bias: true, Act: b.Str("decoder_hidden_act"), Fused: "fc1", Down: "fc2"}))
	}
	return m.LayerNorm(x, "norm", dim, false), table
}

// moonshineAttention is that of a half. Each layer of the encoder writes its heads into the config that the decoder is built
// from afterwards, so the decoder has its own only behind no encoder.
func (b *Build) moonshineAttention(half string, causal bool) Attention {
	if b.Int("encoder_num_hidden_layers") > 0 {
		half = encoder
	}
	heads := b.Size(half + "_num_attention_heads")
	dim := b.Size("hidden_size")
	b.refuseNull("head_dim")
	return Attention{Dim: dim, Heads: heads, KV: b.SizeOr(half+"_num_key_value_heads", heads), HeadDim: b.SizeOr("head_dim", dim/heads),
		Bias: b.Bool("attention_bias"), Rotary: true, Causal: causal, Base: b.RopeBase()}
}
