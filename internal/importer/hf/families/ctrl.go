package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "ctrl", Default: "CTRLLMHeadModel",
	Classes: stack.NamedClasses("CTRLLMHeadModel", "CTRLModel", ctrl,
		stack.Head{Class: "CTRLForSequenceClassification", Layer: "classifier", Count: (*Build).NumLabels,
			Bias: false})})

// ctrl has fixed waves for positions and a network of ReLU.
func ctrl(b *Build) stack.Decoder {
	dim := b.Size("n_embd")
	return stack.Decoder{Prefix: "transformer", Embed: "w", Layers: "h", Norm: "layernorm",
		FinalNorm: stack.LastLayerNorm, HeadBias: true,
		Embedded: func(b *Build, x Node) Node {
			return stack.WavePositions(b, x, "pos_encoding", b.Size("n_positions"), dim)
		},
		Layer: func(b *Build, x Node, _ int64) Node {
			a := nn.Attention{Dim: dim, Heads: b.Size("n_head"), Causal: true, Q: "Wq", K: "Wk", V: "Wv",
				O: "dense"}.Biased(true)
			x = b.Residual(x, nn.AttendSquare(b, b.LayerNorm(x, "layernorm1", dim, true), "multi_head_attention", a))
			h := b.LayerNorm(x, "layernorm2", dim, true)
			return b.Residual(x, nn.PlainMLP(b.Scope("ffn"), h, "0", "2", dim, b.Size("dff"), true, "relu"))
		}}
}
