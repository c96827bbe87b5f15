package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "minicpm3", Default: "MiniCPM3ForCausalLM",
	Classes: stack.HeadedClasses("MiniCPM3", minicpm3, stack.SequenceClassification)})

// minicpm3 is a dense model with latent attention.
func minicpm3(b *Build) stack.Decoder {
	b.Divides("hidden_size", "num_attention_heads")
	return stack.Layered(func(b *Build, x Node, _ int64) Node {
		return nn.PreNorm(b, x, b.Size("hidden_size"), func(x Node) Node { return nn.LatentAttention(b, x) },
			func(x Node) Node { return nn.DecoderMLP(b, x, b.Bool("mlp_bias")) })
	})(b)
}
