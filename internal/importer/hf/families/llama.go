package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "llama", Default: "LlamaForCausalLM",
	Classes: stack.DecoderClasses("Llama", llama)})

// llama is grouped-query attention with rotary positions and a network gated by SiLU, each behind an RMS norm.
func llama(b *Build) stack.Decoder {
	return stack.Decoder{Layer: func(b *Build, x Node, _ int64) Node {
		dim := b.Size("hidden_size")
		return nn.PreNorm(b, x, dim,
			func(x Node) Node {
				bias := b.Bool("attention_bias")
				return nn.Attend(b, x, "self_attn", nn.Attention{Dim: dim, Heads: b.Size("num_attention_heads"),
					KV: b.KVHeads(), HeadDim: b.HeadDim(),
					Bias: bias, OutBias: bias, Rotary: true, Causal: true, Base: b.RopeBase()})
			},
			func(x Node) Node {
				return nn.GatedMLP(b, x, "mlp", nn.Gated{Dim: dim, Hidden: b.Size("intermediate_size"),
					Bias: b.Bool("mlp_bias"), Act: b.Str("hidden_act")})
			})
	}}
}
