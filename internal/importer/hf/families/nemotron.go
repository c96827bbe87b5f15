package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "nemotron", Default: "NemotronForCausalLM",
	Classes: stack.HeadedClasses("Nemotron", nemotron, stack.SequenceClassification, stack.TokenClassification,
		stack.OldQuestionAnswering)})

// nemotron has layer norms and a plain network of squared ReLU. Its norms are of a copy in autocast's width, where
// that is on, and give that width.
func nemotron(*Build) stack.Decoder {
	return stack.Decoder{
		FinalNorm: func(b *Build, x Node, name string, dim int64) Node {
			x = stack.LastLayerNorm(b, x, name, dim)
			b.As(x, transformers.LayerNorm{Recast: true})
			return x
		},
		Layer: func(b *Build, x Node, _ int64) Node {
			a := nn.PartlyRotary(b, nn.Rotary(b, 0).Biased(b.Bool("attention_bias")), "", 0.5, false)
			a.KV = b.Size("num_key_value_heads") // the class does not derive it
			first := b.Count()
			x = plainLayer(b, x, a)
			b.Each(first, "layerNorm", func(n Node) { b.As(n, transformers.LayerNorm{Recast: true}) })
			return x
		}}
}

// plainLayer is a layer of layer norms, some attention and a network of two projections.
func plainLayer(b *Build, x Node, a nn.Attention) Node {
	return nn.LayerNormed(b, x,
		func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
		func(x Node) Node {
			return nn.MLP(b.Scope("mlp"), x, "up_proj", "down_proj", a.Dim, b.Size("intermediate_size"),
				b.Bool("mlp_bias"), "hidden_act")
		})
}
