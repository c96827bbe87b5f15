package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "seed_oss", Default: "SeedOssForCausalLM",
	Classes: stack.HeadedClasses("SeedOss", stack.Layered(seedOSS), stack.SequenceClassification,
		stack.TokenClassification, stack.OldQuestionAnswering)})

// seedOSS is llama whose last projection of attention has a bias of its own choice.
func seedOSS(b *Build, x Node, _ int64) Node {
	a := nn.Rotary(b, 0)
	a.Bias, a.OutBias = b.Bool("attention_bias"), b.Bool("attention_out_bias")
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
		func(x Node) Node { return nn.DecoderMLP(b, x, b.Bool("mlp_bias")) })
}
