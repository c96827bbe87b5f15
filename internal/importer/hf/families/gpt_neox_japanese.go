package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "gpt_neox_japanese", Default: "GPTNeoXJapaneseForCausalLM",
	Classes: stack.NamedClasses("GPTNeoXJapaneseForCausalLM", "GPTNeoXJapaneseModel", gptNeoXJapanese)})

// gptNeoXJapanese has no bias but one: behind the attention of the last layer.
func gptNeoXJapanese(*Build) stack.Decoder {
	return stack.Decoder{Prefix: "gpt_neox_japanese", Embed: "embed_in", Norm: "final_layer_norm", Head: "embed_out",
		FinalNorm: stack.LastLayerNorm,
		Layer: func(b *Build, x Node, i int64) Node {
			a := neoX(b, 1)
			wide := int64(float64(a.Dim) * b.Float("intermediate_multiple_size"))
			return nn.LayerNormed(b, x,
				func(x Node) Node {
					y := nn.AttendSquare(b, x, "attention", a)
					if i == b.Int("num_hidden_layers")-1 {
						y = shift(b, y, "attention.dense_bias", a.Dim)
					}
					return y
				},
				func(x Node) Node {
					return nn.MLP(b.Scope("mlp"), x, "dense_h_to_4h", "dense_4h_to_h", a.Dim, wide, false, "hidden_act")
				})
		}}
}
