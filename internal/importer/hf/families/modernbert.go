package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "modernbert", Default: "ModernBertForMaskedLM", Classes: modernBertClasses()})

func modernBertClasses() map[string]func(*Build) {
	e := stack.Encoder{Prefix: "model", Model: modernBert, Words: func(b *Build, x, table Node) Node {
		return stack.LMHead(b, modernHead(b.Scope("head"), x), "decoder", b.Size("hidden_size"), b.Size("vocab_size"),
			b.Bool("decoder_bias"), table, b.Bool("tie_word_embeddings"))
	}, Whole: func(b, _ *Build, x Node) Node {
		if b.Is("classifier_pooling", "mean") {
			x = b.Add("mean", "head", Args{build.Int("dim", 1)}, x)
		} else {
			x = stack.FirstPosition(b, x, "head")
		}
		return b.Linear(modernHead(b.Scope("head"), x), "classifier", b.Size("hidden_size"), b.NumLabels(), true)
	}}
	classes := e.Classes("ModernBert", stack.MaskedLM, stack.SequenceClassification)
	for _, head := range []string{stack.TokenClassification, stack.QuestionAnswering} {
		classes["ModernBert"+head] = func(b *Build) {
			x, _ := modernBert(b.Scope("model"))
			b.Output(b.Linear(modernHead(b.Scope("head"), x), "classifier", b.Size("hidden_size"), b.NumLabels(), true))
		}
	}
	return classes
}

// modernBert has rotary positions and a network gated by GELU, each behind a norm that may have no bias. Two layers
// of three see only a window around each position; the scores outside of it are computed, too, and masked.
func modernBert(b *Build) (x, table Node) {
	table = tokens(b, b.MaxPositions(), "embeddings.tok_embeddings", b.Size("hidden_size"))
	return modernBertLayers(b, table), table
}

// modernBertLayers is what follows the embedding of the tokens.
func modernBertLayers(b *Build, x Node) Node {
	dim, bias := b.Size("hidden_size"), b.Bool("norm_bias")
	x = b.LayerNorm(x, "embeddings.norm", dim, bias)
	for i := range b.Int("num_hidden_layers") {
		l, y := b.Scope("layers.%d", i), x
		if i > 0 { // the embedding was just normalised
			y = l.LayerNorm(x, "attn_norm", dim, bias)
		}
		x = l.Residual(x, modernBertAttend(l, y, i))
		x = l.Residual(x, nn.GatedMLP(l, l.LayerNorm(x, "mlp_norm", dim, bias), "mlp",
			nn.Gated{Dim: dim, Hidden: b.Size("intermediate_size"), Bias: b.Bool("mlp_bias"),
				Act: b.Str("hidden_activation"), Fused: "Wi", Down: "Wo"}))
	}
	return b.LayerNorm(x, "final_norm", dim, bias)
}

// modernBertAttend is attention of a layer. One with a window is given a mask, unless there are fewer positions than the half of
// local_attention (_ignore_bidirectional_mask_sdpa).
func modernBertAttend(b *Build, x Node, i int64) Node {
	a, kind := modernBertAttention(b, i)
	y := nn.Attend(b, x, "attn", a)
	if kind == nn.SlidingAttention && b.IsType(y, "ropeAttention") && b.Length(b.MaxPositions()) >= b.Or("local_attention", 128)/2 {
		build.Written(b, y, func(m *transformers.Attention) { m.Masked = true })
	}
	return y
}

func modernBertAttention(b *Build, i int64) (a nn.Attention, kind string) {
	a = Bert{}.attention(b)
	a.Bias, a.OutBias = b.Bool("attention_bias"), b.Bool("attention_bias")
	a.Rotary, a.Fused, a.O = true, "Wqkv", "Wo"
	every := max(b.Or("global_attn_every_n_layers", 3), 1)
	kind = nn.LayerKind(b, "layer_types", i, nn.Either(i%every == 0, nn.FullAttention, nn.SlidingAttention))
	key, base := "local_rope_theta", 10_000.0
	if kind == nn.FullAttention {
		key, base = "global_rope_theta", 160_000.0
	}
	if b.Has(key) {
		base = b.Float(key)
	}
	a.Base = nn.BaseOf(b, kind, base)
	return a, kind
}
