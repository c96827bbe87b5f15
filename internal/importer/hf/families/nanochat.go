package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "nanochat", Default: "NanoChatForCausalLM",
	Classes: stack.HeadedClasses("NanoChat", nanoChat)})

// nanoChat has norms without weights, one of them right behind the embedding.
func nanoChat(*Build) stack.Decoder {
	return stack.Decoder{
		FinalNorm: plainRMS,
		Embedded:  func(b *Build, x Node) Node { return plainRMS(b, x, "norm", b.Size("hidden_size")) },
		Layer: func(b *Build, x Node, _ int64) Node {
			a := nn.Rotary(b, 0).Biased(b.Bool("attention_bias"))
			a.Norm = nn.PlainRMS
			return nn.PreNormed(b, x, func(x Node, name string) Node { return plainRMS(b, x, name, a.Dim) },
				func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
				func(x Node) Node {
					return nn.MLP(b.Scope("mlp"), x, "fc1", "fc2", a.Dim, b.Size("intermediate_size"), false,
						"hidden_act")
				})
		}}
}

// plainRMS divides by the root mean square and has no weights.
func plainRMS(b *Build, x Node, name string, dim int64) Node {
	return b.Add("rmsNorm", name, Args{build.Ints("normalizedShape", dim), build.Flag("elementwiseAffine", false)}, x)
}
