package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/audio"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var (
	_ = family.Define(family.Family{Type: "seamless_m4t", Default: "SeamlessM4TForTextToText",
		Classes: seamless("SeamlessM4T")})
	_ = family.Define(family.Family{Type: "seamless_m4t_v2", Default: "SeamlessM4Tv2ForTextToText",
		Classes: seamless("SeamlessM4Tv2")})
)

// seamless are the classes that write text: from text, as M2M100 does, or from speech.
func seamless(name string) map[string]func(*Build) {
	return map[string]func(*Build){
		name + "ForTextToText":   func(b *Build) { seamlessWrite(b, true) },
		name + "ForSpeechToText": func(b *Build) { seamlessWrite(b, false) },
	}
}

func seamlessWrite(b *Build, fromText bool) {
	m, dim, vocab := b.With(b.Config.WithName("d_model", "hidden_size")), b.Size("hidden_size"), b.Size("vocab_size")
	s := stack.Seq2Seq{Pre: true, LastNorm: true, Positions: stack.HeldSinusoidPositions, Cross: "cross_attention",
		FeedNorm: "ffn_layer_norm", Feed: func(b *Build, x Node, half string, _ int64) Node {
			return nn.RecastMLP(b.Scope("ffn"), x, dim, b.Size(half+"_ffn_dim"))
		}}.Filled()
	shared := m
	var memory, table Node
	if fromText {
		tokens := b.Tokens("input_ids", b.MaxPositions())
		table = m.Embedding(tokens, "shared", vocab, dim)
		if memory = table; !stack.Tied(b) {
			memory = m.Embedding(tokens, "text_encoder.embed_tokens", vocab, dim)
		}
		memory, shared = stack.EncodeHere(m.Scope("text_encoder"), s, memory), m.Again()
	} else {
		memory = seamlessListen(m.Scope("speech_encoder"))
	}
	tokens := b.Tokens("decoder_input_ids", b.MaxPositions())
	x := table
	if !fromText || stack.Tied(b) {
		x = shared.Embedding(tokens, "shared", vocab, dim)
	}
	if !fromText {
		table = x
	}
	if !stack.Tied(b) {
		x = m.Embedding(tokens, "text_decoder.embed_tokens", vocab, dim)
	}
	x = stack.DecodeHere(m.Scope("text_decoder"), s, x, memory)
	b.Output(stack.LMHead(b, x, "lm_head", dim, vocab, false, table, stack.Tied(b)))
}

// seamlessListen is a Conformer, and layers behind it that shorten what it gives.
func seamlessListen(b *Build) Node {
	dim, in, hidden, act := b.Size("hidden_size"), b.Size("feature_projection_input_dim"),
		b.Size("speech_encoder_intermediate_size"), b.Str("speech_encoder_hidden_act")
	length := int64(audio.Moments) / 2 // two moments are one row of features
	x := audio.WaveProjection(b.Scope("feature_projection"), b.Input("input_features", length, in), in, dim)
	e := b.Scope(stack.EncoderPath)
	for i := range b.Int("speech_encoder_layers") {
		l := e.Scope("layers.%d", i)
		x = l.Residual(x, audio.FeedDense(l, l.LayerNorm(x, "ffn1_layer_norm", dim, true), "ffn1", dim, hidden, act))
		x = l.Residual(x, seamlessAttend(l.Scope("self_attn"), l.LayerNorm(x, "self_attn_layer_norm", dim, true),
			length, b.Str("position_embeddings_type")))
		x = l.Residual(x, seamlessConv(l.Scope("conv_module"), x, dim))
		x = l.Residual(x, audio.FeedDense(l, l.LayerNorm(x, "ffn2_layer_norm", dim, true), "ffn2", dim, hidden, act))
		x = l.LayerNorm(x, "final_layer_norm", dim, true)
	}
	x = e.LayerNorm(x, "layer_norm", dim, true)
	x = b.Residual(x, audio.FeedDense(b, x, "intermediate_ffn", dim, hidden, "relu"))
	if b.Bool("add_adapter") {
		for i := range b.Int("num_adapter_layers") {
			x, length = seamlessAdapt(b.Scope("adapter.layers.%d", i), x, length)
		}
	}
	return b.LayerNorm(x, "inner_layer_norm", dim, true)
}

// seamlessAttend knows distances as its type says: by fixed positions, by a trained vector of each, by rotating what
// it reads, or not at all.
func seamlessAttend(b *Build, x Node, length int64, positions string) Node {
	dim, heads := b.Size("hidden_size"), b.Size("speech_encoder_attention_heads")
	head := dim / heads
	if positions == "relative" {
		return audio.RelativeAttend(b, x, length,
			audio.Relative{Dim: dim, Heads: heads, KV: heads, HeadDim: head, Square: true, Bias: true, Q: "linear_q",
				K: "linear_k", V: "linear_v", O: "linear_out",
				Distance: "linear_pos", ForKeys: "pos_bias_u", ForDistances: "pos_bias_v"})
	}
	rotated := x
	if positions == "rotary" {
		rotated = nn.Rotate(b, x, head, b.Float("rotary_embedding_base"))
	}
	q, k, v := b.Linear(rotated, "linear_q", dim, dim, true), b.Linear(rotated, "linear_k", dim, dim, true),
		b.Linear(x, "linear_v", dim, dim, true)
	var bias []Node
	if positions == "relative_key" {
		table := b.Param(x, "distance_embedding.weight",
			b.Size("left_max_position_embeddings")+b.Size("right_max_position_embeddings")+1, head)
		bias = []Node{audio.Shaw(b, q, table, "distance_embedding", heads, head, length)}
	}
	return b.Linear(b.Core(q, k, v, heads, heads, false, bias...), "linear_out", dim, dim, true)
}

// seamlessConv is a Conformer's. The second version looks back only, and normalises moments instead of channels.
func seamlessConv(b *Build, x Node, dim int64) Node {
	kernel := b.Size("conv_depthwise_kernel_size")
	if kernel%2 == 0 {
		config.Fail(config.CodeConfig, b.At("conv_depthwise_kernel_size"), "is %d but must be odd", kernel)
	}
	back, second := (kernel-1)/2, b.Type() == "seamless_m4t_v2"
	if second {
		back = kernel - 1
	}
	x = audio.Conv1d(b, b.Swap(b.LayerNorm(x, "layer_norm", dim, true)), "pointwise_conv1",
		audio.Convolution{In: dim, Out: 2 * dim, Kernel: 1})
	x = b.Add("pad", "", Args{build.Ints("padding", back, kernel-1-back)},
		b.Add("glu", "", Args{build.Int("dim", 1)}, x))
	x = audio.Conv1d(b, x, "depthwise_conv", audio.Convolution{In: dim, Out: dim, Kernel: kernel, Groups: dim})
	if second {
		x = b.Swap(b.LayerNorm(b.Swap(x), "depthwise_layer_norm", dim, true))
	} else {
		x = audio.ChannelNorm(b, x, "batch_norm", dim)
	}
	return b.Swap(audio.Conv1d(b, b.Activation(x, "speech_encoder_hidden_act"), "pointwise_conv2",
		audio.Convolution{In: dim, Out: dim, Kernel: 1}))
}

// seamlessAdapt shortens both the residual and what attention reads.
func seamlessAdapt(b *Build, x Node, length int64) (Node, int64) {
	dim, kernel, stride := b.Size("hidden_size"), b.Size("adaptor_kernel_size"), b.Size("adaptor_stride")
	short := func(name string) Node {
		y := b.Swap(b.LayerNorm(x, name+"_layer_norm", dim, true))
		y = audio.Conv1d(b, y, name+"_conv", audio.Convolution{In: dim, Out: 2 * dim, Kernel: kernel, Stride: stride,
			Padding: stride / 2, Bias: true})
		return b.Swap(b.Add("glu", "", Args{build.Int("dim", 1)}, y))
	}
	length = (length+2*(stride/2)-kernel)/stride + 1
	kept, y := short("residual"), short("self_attn")
	x = b.Residual(kept, seamlessAttend(b.Scope("self_attn"), y, length, ""))
	y = b.LayerNorm(x, "ffn_layer_norm", dim, true)
	return b.Residual(x, audio.FeedDense(b, y, "ffn", dim, b.Size("speech_encoder_intermediate_size"), "relu")), length
}
