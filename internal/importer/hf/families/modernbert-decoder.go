package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "modernbert-decoder", Default: "ModernBertDecoderForCausalLM",
	Classes: map[string]func(*Build){
		"ModernBertDecoderForCausalLM": func(b *Build) {
			x, embedding := stack.Trunk(b, modernDecoder(b), "model")
			x = modernHead(b.Scope("lm_head"), x)
			b.Output(stack.LMHead(b, x, "decoder", b.Size("hidden_size"), b.Size("vocab_size"), b.Bool("decoder_bias"),
				embedding, b.Bool("tie_word_embeddings")))
		},
		"ModernBertDecoderModel": func(b *Build) { stack.BareModel(b, modernDecoder(b)) },
		"ModernBertDecoderForSequenceClassification": func(b *Build) {
			x, _ := stack.Trunk(b, modernDecoder(b), "model")
			b.Output(b.Linear(modernHead(b.Scope("head"), x), "classifier", b.Size("hidden_size"), b.NumLabels(),
				b.Bool("classifier_bias")))
		},
	}})

// modernDecoder has layers that see everything and layers that see a window, with their own base of angles; the first
// layer has no norm before its attention, since the embedding has one behind it.
func modernDecoder(b *Build) stack.Decoder {
	b.Divides("hidden_size", "num_attention_heads")
	dim, bias := b.Size("hidden_size"), b.Bool("norm_bias")
	return stack.Decoder{Embed: "embeddings.tok_embeddings", Norm: "final_norm",
		FinalNorm: func(b *Build, x Node, name string, dim int64) Node { return b.LayerNorm(x, name, dim, bias) },
		Embedded:  func(b *Build, x Node) Node { return b.LayerNorm(x, "embeddings.norm", dim, bias) },
		Layer: func(b *Build, x Node, i int64) Node {
			h := x
			if i > 0 {
				h = b.LayerNorm(x, "attn_norm", dim, bias)
			}
			x = b.Residual(x, nn.Attend(b, h, "attn", modernAttention(b, dim, i)))
			h = b.LayerNorm(x, "mlp_norm", dim, bias)
			g := nn.Gated{Dim: dim, Hidden: b.Size("intermediate_size"), Bias: b.Bool("mlp_bias"),
				Act: b.Str("hidden_activation"), Fused: "Wi", Down: "Wo"}
			return b.Residual(x, nn.GatedMLP(b, h, "mlp", g))
		}}
}

func modernAttention(b *Build, dim, i int64) nn.Attention {
	kind := nn.PerLayerText(b, "layer_types", i, func(i int64) string {
		return nn.Either(i%b.SizeOr("global_attn_every_n_layers", 3) == 0, nn.FullAttention, nn.SlidingAttention)
	})
	a := nn.Attention{Dim: dim, Heads: b.Size("num_attention_heads"), Rotary: true, Causal: true,
		O: "Wo"}.Biased(b.Bool("attention_bias"))
	key, otherwise := "global_rope_theta", 160_000.0
	if kind == nn.SlidingAttention {
		key, otherwise = "local_rope_theta", 10_000.0
		a.Window = max(b.Or("sliding_window", b.Or("local_attention", 0)/2), 0)
	}
	if b.Has(key) {
		otherwise = b.Float(key)
	}
	a.Base = nn.BaseOf(b, kind, otherwise)
	return a
}

// modernHead is what stands between the model and its last projection.
func modernHead(b *Build, x Node) Node {
	dim := b.Size("hidden_size")
	x = b.Activation(b.Linear(x, "dense", dim, dim, b.Bool("classifier_bias")), "classifier_activation")
	return b.LayerNorm(x, "norm", dim, b.Bool("norm_bias"))
}
