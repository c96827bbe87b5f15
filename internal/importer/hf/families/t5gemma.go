package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "t5gemma", Default: "T5GemmaForConditionalGeneration",
	Classes: map[string]func(*Build){
		"T5GemmaForConditionalGeneration": func(b *Build) {
			x, table := t5Gemma(b, b.Scope("model"))
			d := b.Sub(stack.DecoderPath, "t5_gemma_module")
			b.Output(stack.LMHead(b.With(d), x, "lm_head.out_proj", d.Size("hidden_size"), d.Size("vocab_size"), false,
				table, stack.Tied(b)))
		},
		"T5GemmaModel": func(b *Build) {
			x, _ := t5Gemma(b, b)
			b.Output(x)
		},
	}})

// t5Gemma is an encoder and a decoder with the layers of Gemma 2: a norm on both sides of each branch.
func t5Gemma(b *Build, m *Build) (x, table Node) {
	e := m.Scope(stack.EncoderPath).With(b.Sub(stack.EncoderPath, "t5_gemma_module"))
	memory := t5GemmaStack(e, e.Embedding(b.Tokens("input_ids", e.MaxPositions()), "embed_tokens",
		e.Size("vocab_size"), e.Size("hidden_size")),
		func(m *Build, x Node, i int64) Node { return t5GemmaFeed(m, t5GemmaAttend(m, x, i, false)) })
	d := m.Scope(stack.DecoderPath).With(b.Sub(stack.DecoderPath, "t5_gemma_module"))
	table = d.Embedding(b.Tokens("decoder_input_ids", d.MaxPositions()), "embed_tokens", d.Size("vocab_size"),
		d.Size("hidden_size"))
	x = t5GemmaStack(d, table, func(m *Build, x Node, i int64) Node {
		x = t5GemmaAttend(m, x, i, true)
		x = between(m, x, "cross_attn_layernorm", func(x Node) Node {
			a := t5GemmaAttention(m)
			a.Rotary, a.Memory, a.MemoryDim = false, memory, e.Size("hidden_size")
			return nn.Attend(m, x, "cross_attn", a)
		})
		return t5GemmaFeed(m, x)
	})
	return x, table
}

func t5GemmaStack(b *Build, x Node, layer func(m *Build, x Node, i int64) Node) Node {
	if b.Size("hidden_size")%b.Size("num_attention_heads") != 0 {
		config.Fail(config.CodeContradiction, b.At("hidden_size"),
			"is %d, which is no multiple of num_attention_heads, %d", b.Int("hidden_size"),
			b.Int("num_attention_heads"))
	}
	x = b.Drop(x, "dropout_rate")
	for i := range b.Int("num_hidden_layers") {
		x = layer(b.Scope("layers.%d", i), x, i)
	}
	return b.Drop(b.RMSNorm(x, "norm", b.Size("hidden_size")), "dropout_rate")
}

// between adds a branch that has a norm ahead of it and one behind.
func between(b *Build, x Node, norm string, branch func(x Node) Node) Node {
	dim := b.Size("hidden_size")
	return b.Residual(x, b.Drop(b.RMSNorm(branch(b.RMSNorm(x, "pre_"+norm, dim)), "post_"+norm, dim), "dropout_rate"))
}

func t5GemmaAttention(b *Build) nn.Attention {
	bias := b.Bool("attention_bias")
	return nn.Attention{Dim: b.Size("hidden_size"), Heads: b.Size("num_attention_heads"), KV: b.KVHeads(),
		HeadDim: b.HeadDim(), Bias: bias, OutBias: bias,
		Rotary: true, Base: b.RopeBase()}
}

// t5GemmaAttend is self-attention. Every second layer, from the first on, sees a window only.
func t5GemmaAttend(b *Build, x Node, i int64, causal bool) Node {
	slides := t5GemmaSlides(b, i, 2)
	return between(b, x, "self_attn_layernorm", func(x Node) Node {
		a := t5GemmaAttention(b)
		if a.Causal = causal; slides && causal {
			a.Window = b.Or("sliding_window", 0)
		}
		return nn.Attend(b, x, "self_attn", a)
	})
}

// t5GemmaSlides says whether a layer sees a window only: as layer_types says, else all but each so many.
func t5GemmaSlides(b *Build, i, period int64) bool {
	kinds := b.Strs("layer_types")
	if len(kinds) == 0 {
		return (i+1)%period != 0
	}
	if int64(len(kinds)) != b.Int("num_hidden_layers") {
		config.Fail(config.CodeContradiction, b.At("layer_types"), "has %d entries but num_hidden_layers is %d",
			len(kinds), b.Int("num_hidden_layers"))
	}
	return kinds[i] == "sliding_attention"
}

func t5GemmaFeed(b *Build, x Node) Node {
	return between(b, x, "feedforward_layernorm", func(x Node) Node {
		return nn.GatedMLP(b, x, "mlp", nn.Gated{Dim: b.Size("hidden_size"), Hidden: b.Size("intermediate_size"),
			Act: b.Str("hidden_activation"), Dropout: "dropout_rate"})
	})
}
