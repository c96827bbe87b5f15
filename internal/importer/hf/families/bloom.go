package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "bloom", Default: "BloomForCausalLM",
	Classes: stack.NamedClasses("BloomForCausalLM", "BloomModel", bloom, stack.GPTHeads("Bloom")...)})

// bloom tells positions apart by ALiBi, and normalises what its embedding gives.
func bloom(b *Build) stack.Decoder {
	dim, heads := b.SizeOr("n_embed", b.Size("hidden_size")), b.Size("n_head")
	if dim%heads != 0 {
		config.Fail(config.CodeContradiction, b.At("hidden_size"), "is %d, which is no multiple of n_head, %d", dim,
			heads)
	}
	var slopes Node
	return stack.Decoder{Prefix: "transformer", Embed: "word_embeddings", Layers: "h", Norm: "ln_f",
		FinalNorm: stack.LastLayerNorm, Dim: dim, Count: b.Int("n_layer"),
		Embedded: func(b *Build, x Node) Node {
			slopes = nn.AlibiSlopes(b, x, heads)
			return b.LayerNorm(x, "word_embeddings_layernorm", dim, true)
		},
		Layer: func(b *Build, x Node, _ int64) Node {
			a := nn.Attention{Dim: dim, Heads: heads, Causal: true, Fused: "query_key_value", O: "dense"}.Biased(true)
			// whether the norm's result is added to, not what it was given
			after := b.Bool("apply_residual_connection_post_layernorm")
			around := func(x Node, name string, part func(x Node) Node) Node {
				h := b.LayerNorm(x, name, dim, true)
				if after {
					x = h
				}
				return b.Residual(x, part(h))
			}
			x = around(x, "input_layernorm", func(x Node) Node {
				return nn.AttendBiased(b, x, "self_attention", a,
					slopes)
			})
			return around(x, "post_attention_layernorm", func(x Node) Node {
				return nn.PlainMLP(b.Scope("mlp"), x, "dense_h_to_4h", "dense_4h_to_h", dim, 4*dim, true, "gelu")
			})
		}}
}
