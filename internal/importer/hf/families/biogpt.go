package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "biogpt", Default: "BioGptForCausalLM",
	Classes: stack.NamedClasses("BioGptForCausalLM", "BioGptModel", bioGPT,
		stack.ScoreHead("BioGptForSequenceClassification"), stack.TokenHead("BioGptForTokenClassification"))})

// bioGPT has learned positions with two unused rows.
func bioGPT(b *Build) stack.Decoder {
	b.Divides("hidden_size", "num_attention_heads")
	dim := b.Size("hidden_size")
	return stack.Decoder{Prefix: "biogpt", Norm: "layer_norm", Head: "output_projection",
		FinalNorm: stack.LastLayerNorm,
		Embedded: func(b *Build, x Node) Node {
			return b.Positions(x, "embed_positions", b.Size("max_position_embeddings")+2, dim)
		},
		Layer: func(b *Build, x Node, _ int64) Node {
			return stack.BartLayer(b, x, nn.Attention{Dim: dim, Heads: b.Size("num_attention_heads")},
				"intermediate_size", "hidden_act", "", 0)
		}}
}
