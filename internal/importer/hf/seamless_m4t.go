package hf

var (
	_ = define(Family{Type: "seamless_m4t", Default: "SeamlessM4TForTextToText", Classes: seamless("SeamlessM4T")})
	_ = define(Family{Type: "seamless_m4t_v2", Default: "SeamlessM4Tv2ForTextToText", Classes: seamless("SeamlessM4Tv2")})
)

// seamless are the classes that write text: from text, as M2M100 does, or from speech.
func seamless(name string) map[string]func(*Build) {
	return map[string]func(*Build){
		name + "ForTextToText":   func(b *Build) { b.seamlessWrite(true) },
		name + "ForSpeechToText": func(b *Build) { b.seamlessWrite(false) },
	}
}

func (b *Build) seamlessWrite(fromText bool) {
	m, dim, vocab := b.With(b.Config.named("d_model", "hidden_size")), b.Size("hidden_size"), b.Size("vocab_size")
	s := Seq2Seq{Pre: true, LastNorm: true, Positions: heldSinusoids, Cross: "cross_attention", FeedNorm: "ffn_layer_norm", Feed: func(b *Build, x Node, half string, _ int64) Node {
		return b.Scope("ffn").recastMLP(x, dim, b.Size(half+"_ffn_dim"))
	}}.filled()
	shared := m
	var memory, table Node
	if fromText {
		tokens := b.Tokens("input_ids", b.MaxPositions())
		table = m.Embedding(tokens, "shared", vocab, dim)
		if memory = table; !b.tied() {
			memory = m.Embedding(tokens, "text_encoder.embed_tokens", vocab, dim)
		}
		memory, shared = m.Scope("text_encoder").encodeHere(s, memory), m.Again()
	} else {
		memory = m.Scope("speech_encoder").seamlessListen()
	}
	tokens := b.Tokens("decoder_input_ids", b.MaxPositions())
	x := table
	if !fromText || b.tied() {
		x = shared.Embedding(tokens, "shared", vocab, dim)
	}
	if !fromText {
		table = x
	}
	if !b.tied() {
		x = m.Embedding(tokens, "text_decoder.embed_tokens", vocab, dim)
	}
	x = m.Scope("text_decoder").decodeHere(s, x, memory)
	b.Output(b.LMHead(x, "lm_head", dim, vocab, false, table, b.tied()))
}

// seamlessListen is a Conformer, and layers behind it that shorten what it gives.
func (b *Build) seamlessListen() Node {
	dim, in, hidden, act := b.Size("hidden_size"), b.Size("feature_projection_input_dim"), b.Size("speech_encoder_intermediate_size"), b.Str("speech_encoder_hidden_act")
	length := int64(moments) / 2 // two moments are one row of features
	x := b.Scope("feature_projection").waveProjection(b.Input("input_features", length, in), in, dim)
	e := b.Scope(encoder)
	for i := range b.Int("speech_encoder_layers") {
		l := e.Scope("layers.%d", i)
		x = l.Residual(x, l.feedDense(l.LayerNorm(x, "ffn1_layer_norm", dim, true), "ffn1", dim, hidden, act))
		x = l.Residual(x, l.Scope("self_attn").seamlessAttend(l.LayerNorm(x, "self_attn_layer_norm", dim, true), length, b.Str("position_embeddings_type")))
		x = l.Residual(x, l.Scope("conv_module").seamlessConv(x, dim))
		x = l.Residual(x, l.feedDense(l.LayerNorm(x, "ffn2_layer_norm", dim, true), "ffn2", dim, hidden, act))
		x = l.LayerNorm(x, "final_layer_norm", dim, true)
	}
	x = e.LayerNorm(x, "layer_norm", dim, true)
	x = b.Residual(x, b.feedDense(x, "intermediate_ffn", dim, hidden, "relu"))
	if b.Bool("add_adapter") {
		for i := range b.Int("num_adapter_layers") {
			x, length = b.Scope("adapter.layers.%d", i).seamlessAdapt(x, length)
		}
	}
	return b.LayerNorm(x, "inner_layer_norm", dim, true)
}

// seamlessAttend knows distances as its type says: by fixed positions, by a trained vector of each, by turning what it reads, or not at all.
func (b *Build) seamlessAttend(x Node, length int64, positions string) Node {
	dim, heads := b.Size("hidden_size"), b.Size("speech_encoder_attention_heads")
	head := dim / heads
	if positions == "relative" {
		return b.relativeAttend(x, length, relative{Dim: dim, Heads: heads, KV: heads, HeadDim: head, Square: true, Bias: true, Q: "linear_q", K: "linear_k", V: "linear_v", O: "linear_out",
			Distance: "linear_pos", ForKeys: "pos_bias_u", ForDistances: "pos_bias_v"})
	}
	turned := x
	if positions == "rotary" {
		turned = b.Rotate(x, head, b.Float("rotary_embedding_base"))
	}
	q, k, v := b.Linear(turned, "linear_q", dim, dim, true), b.Linear(turned, "linear_k", dim, dim, true), b.Linear(x, "linear_v", dim, dim, true)
	var bias []Node
	if positions == "relative_key" {
		table := b.Param(x, "distance_embedding.weight", b.Size("left_max_position_embeddings")+b.Size("right_max_position_embeddings")+1, head)
		bias = []Node{b.Shaw(q, table, "distance_embedding", heads, head, length)}
	}
	return b.Linear(b.Core(q, k, v, heads, heads, false, bias...), "linear_out", dim, dim, true)
}

// seamlessConv is a Conformer's. The second version looks back only, and normalises moments instead of channels.
func (b *Build) seamlessConv(x Node, dim int64) Node {
	kernel := b.Size("conv_depthwise_kernel_size")
	if kernel%2 == 0 {
		fail(CodeConfig, b.at("conv_depthwise_kernel_size"), "is %d but must be odd", kernel)
	}
	back, second := (kernel-1)/2, b.modelType == "seamless_m4t_v2"
	if second {
		back = kernel - 1
	}
	x = b.Conv1d(b.Swap(b.LayerNorm(x, "layer_norm", dim, true)), "pointwise_conv1", Convolution{In: dim, Out: 2 * dim, Kernel: 1})
	x = b.Add("pad", "", Args{Ints("padding", back, kernel-1-back)}, b.Add("glu", "", Args{Int("dim", 1)}, x))
	x = b.Conv1d(x, "depthwise_conv", Convolution{In: dim, Out: dim, Kernel: kernel, Groups: dim})
	if second {
		x = b.Swap(b.LayerNorm(b.Swap(x), "depthwise_layer_norm", dim, true))
	} else {
		x = b.ChannelNorm(x, "batch_norm", dim)
	}
	return b.Swap(b.Conv1d(b.Activation(x, "speech_encoder_hidden_act"), "pointwise_conv2", Convolution{In: dim, Out: dim, Kernel: 1}))
}

// seamlessAdapt shortens both the residual and what attention reads.
func (b *Build) seamlessAdapt(x Node, length int64) (Node, int64) {
	dim, kernel, stride := b.Size("hidden_size"), b.Size("adaptor_kernel_size"), b.Size("adaptor_stride")
	short := func(name string) Node {
		y := b.Swap(b.LayerNorm(x, name+"_layer_norm", dim, true))
		y = b.Conv1d(y, name+"_conv", Convolution{In: dim, Out: 2 * dim, Kernel: kernel, Stride: stride, Padding: stride / 2, Bias: true})
		return b.Swap(b.Add("glu", "", Args{Int("dim", 1)}, y))
	}
	length = (length+2*(stride/2)-kernel)/stride + 1
	kept, y := short("residual"), short("self_attn")
	x = b.Residual(kept, b.Scope("self_attn").seamlessAttend(y, length, ""))
	y = b.LayerNorm(x, "ffn_layer_norm", dim, true)
	return b.Residual(x, b.feedDense(y, "ffn", dim, b.Size("speech_encoder_intermediate_size"), "relu")), length
}
