package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "xglm", Default: "XGLMForCausalLM",
	Classes: stack.NamedClasses("XGLMForCausalLM", "XGLMModel", xglm)})

// xglm has fixed waves for positions, two more than it uses, and may attend to an encoder.
func xglm(b *Build) stack.Decoder {
	b.Divides("d_model", "attention_heads")
	dim := b.Size("d_model")
	var memory Node
	if b.Bool("add_cross_attention") {
		memory = b.Input("encoder_hidden_states", b.TextLength(), dim)
	}
	return stack.Decoder{Norm: "layer_norm", FinalNorm: stack.LastLayerNorm, Dim: dim, Count: b.Int("num_layers"),
		Embedded: func(b *Build, x Node) Node {
			return b.Drop(stack.WavePositions(b, x, "embed_positions", b.Size("max_position_embeddings")+2, dim),
				"dropout")
		},
		Layer: func(b *Build, x Node, _ int64) Node {
			return stack.BartLayer(b, x, nn.Attention{Dim: dim, Heads: b.Size("attention_heads"), Clamped: true},
				"ffn_dim", "activation_function", "dropout", memory)
		}}
}
