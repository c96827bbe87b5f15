package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "gpt_neox", Default: "GPTNeoXForCausalLM",
	Classes: stack.NamedClasses("GPTNeoXForCausalLM", "GPTNeoXModel", gptNeoX, stack.GPTHeads("GPTNeoX")...)})

// gptNeoX has rotary positions in a share of each head, and attention and network side by side, each behind a norm of
// its own.
func gptNeoX(b *Build) stack.Decoder {
	b.Divides("hidden_size", "num_attention_heads")
	return stack.Decoder{Prefix: "gpt_neox", Embed: "embed_in", Norm: "final_layer_norm",
		FinalNorm: stack.LastLayerNorm, Layer: func(b *Build, x Node, _ int64) Node {
			a := neoX(b, 0.25).Biased(b.Bool("attention_bias"))
			attend := func(x Node) Node { return nn.Attend(b, x, "attention", a) }
			feed := func(x Node) Node {
				return nn.MLP(b.Scope("mlp"), x, "dense_h_to_4h", "dense_4h_to_h", a.Dim, b.Size("intermediate_size"),
					true, "hidden_act")
			}
			if !b.Bool("use_parallel_residual") {
				return nn.LayerNormed(b, x, attend, feed)
			}
			attended := attend(b.LayerNorm(x, "input_layernorm", a.Dim, true))
			return stack.ParallelResidual(b, x, attended, feed(b.LayerNorm(x, "post_attention_layernorm", a.Dim, true)))
		}}
}

// neoX is attention with one projection for queries, keys and values, of whose heads a share is rotated: rotary_pct
// in older configs.
func neoX(b *Build, share float64) nn.Attention {
	if b.Has("rotary_pct") {
		share = b.Float("rotary_pct")
	}
	dim, heads := b.Size("hidden_size"), b.Size("num_attention_heads")
	a := nn.Attention{Dim: dim, Heads: heads, HeadDim: dim / heads, Rotary: true, Causal: true,
		Base: nn.BaseOf(b, "", 0), Fused: "query_key_value", O: "dense"}
	return nn.PartlyRotary(b, a, "", share, false)
}
