package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "dia", Default: "DiaForConditionalGeneration",
	Classes: map[string]func(*Build){
		"DiaForConditionalGeneration": func(b *Build) {
			d := b.Sub("decoder_config", "dia_decoder")
			b.Output(b.Linear(dia(b, b.Scope("model")), "logits_dense", d.Size("hidden_size"),
				d.Size("num_channels")*d.Size("vocab_size"), false))
		},
		"DiaModel": func(b *Build) { b.Output(dia(b, b)) },
	}})

// dia turns text into the codes of a sound: at each moment one of every channel, whose vectors are added.
func dia(b *Build, m *Build) Node {
	e, d := m.Scope(stack.EncoderPath).With(b.Sub("encoder_config", "dia_encoder")),
		m.Scope(stack.DecoderPath).With(b.Sub("decoder_config", "dia_decoder"))
	if delays, n := b.List("delay_pattern"), d.Size("num_channels"); delays != nil && int64(len(delays)) != n {
		config.Fail(config.CodeContradiction, b.At("delay_pattern"), "has %d entries but num_channels is %d",
			len(delays), n)
	}
	dim := e.Size("hidden_size")
	x := e.Embedding(b.Tokens("input_ids", e.MaxPositions()), "embedding", e.Size("vocab_size"), dim)
	for i := range e.Int("num_hidden_layers") {
		l := e.Scope("layers.%d", i)
		x = l.Residual(x, nn.Attend(l, l.RMSNorm(x, "pre_sa_norm", dim), "self_attention", diaAttention(l, false)))
		x = l.Residual(x, diaFeed(l, l.RMSNorm(x, "post_sa_norm", dim)))
	}
	memory := e.RMSNorm(x, "norm", dim)
	dim = d.Size("hidden_size")
	codes := b.Input("decoder_input_ids", b.Length(d.MaxPositions()), d.Size("num_channels"))
	x = d.Embedding(codes, "embeddings.embed", d.Size("vocab_size")*d.Size("num_channels"), dim)
	x = d.Add("sum", "embeddings", Args{build.Int("dim", 2)}, x)
	for i := range d.Int("num_hidden_layers") {
		l := d.Scope("layers.%d", i)
		x = l.Residual(x, nn.Attend(l, l.RMSNorm(x, "pre_sa_norm", dim), "self_attention", diaAttention(l, true)))
		x = l.Residual(x, nn.Attend(l, l.RMSNorm(x, "pre_ca_norm", dim), "cross_attention",
			nn.Attention{Dim: dim, Heads: l.Size("cross_num_attention_heads"),
				KV: l.Size("cross_num_key_value_heads"), HeadDim: l.Size("cross_head_dim"), Memory: memory,
				MemoryDim: l.Size("cross_hidden_size")}))
		x = l.Residual(x, diaFeed(l, l.RMSNorm(x, "pre_mlp_norm", dim)))
	}
	return d.RMSNorm(x, "norm", dim)
}

func diaAttention(b *Build, causal bool) nn.Attention {
	return nn.Attention{Dim: b.Size("hidden_size"), Heads: b.Size("num_attention_heads"), KV: b.KVHeads(),
		HeadDim: b.HeadDim(), Rotary: true, Causal: causal, Base: b.RopeBase()}
}

func diaFeed(b *Build, x Node) Node {
	return nn.GatedMLP(b, x, "mlp", nn.Gated{Dim: b.Size("hidden_size"), Hidden: b.Size("intermediate_size"),
		Act: b.Str("hidden_act"), Fused: "gate_up_proj"})
}
