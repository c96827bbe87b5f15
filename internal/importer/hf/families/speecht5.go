package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/audio"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "speecht5", Default: "SpeechT5ForSpeechToText",
	Classes: map[string]func(*Build){"SpeechT5ForSpeechToText": speechT5}})

// speechT5 listens through convolutions and an encoder whose attention knows distances, and writes text.
func speechT5(b *Build) {
	m, dim := b.Scope("speecht5"), b.Size("hidden_size")
	p := m.Scope("encoder.prenet")
	x, length := audio.WaveEncoder(p.Scope("feature_encoder"))
	dims := b.Ints("conv_dim")
	x = audio.WaveProjection(p.Scope("feature_projection"), x, dims[len(dims)-1], dim)
	audio.MaskVector(p, x, dim)
	x = audio.WaveConvPositions(p.Scope("pos_conv_embed"), x, dim, length)
	x = speechT5Encode(m.Scope("encoder.wrapped_encoder"), stack.Sinusoids(p, x, dim), length)
	d := m.Scope("decoder.prenet")
	table := d.Embedding(b.Tokens("decoder_input_ids", b.Int("max_text_positions")), "embed_tokens",
		b.Size("vocab_size"), dim)
	c := b.Config.WithName("d_model", "hidden_size").WithName("activation_function", "hidden_act")
	s := stack.Seq2Seq{Feed: func(b *Build, x Node, half string, _ int64) Node {
		return audio.FeedDense(b, x, "feed_forward", dim, b.Size(half+"_ffn_dim"), b.Str("hidden_act"))
	}}.Filled()
	x = stack.DecodeHere(m.Scope("decoder.wrapped_decoder").With(c), s, stack.Sinusoids(d, table, dim), x)
	b.Output(stack.LMHead(b, x, "text_decoder_postnet.lm_head", dim, b.Size("vocab_size"), false, table, stack.Tied(b)))
}

func speechT5Encode(b *Build, x Node, length int64) Node {
	dim, heads := b.Size("hidden_size"), stack.HeadCount(b, "encoder_attention_heads", "hidden_size")
	x = b.LayerNorm(x, "layer_norm", dim, true)
	table := b.Param(x, "embed_positions.pe_k.weight", 2*b.Size("encoder_max_relative_position"), dim/heads)
	for i := range b.Int("encoder_layers") {
		l := b.Scope("layers.%d", i)
		a := l.Scope("attention")
		q, k, v := a.Linear(x, "q_proj", dim, dim, true), a.Linear(x, "k_proj", dim, dim, true),
			a.Linear(x, "v_proj", dim, dim, true)
		y := a.Core(q, k, v, heads, heads, false, audio.Shaw(a, q, table, "position_bias", heads, dim/heads, length))
		x = l.LayerNorm(l.Residual(x, a.Linear(y, "out_proj", dim, dim, true)), "layer_norm", dim, true)
		x = l.LayerNorm(l.Residual(x, audio.FeedDense(l, x, "feed_forward", dim, b.Size("encoder_ffn_dim"),
			b.Str("hidden_act"))), "final_layer_norm", dim, true)
	}
	return x
}
