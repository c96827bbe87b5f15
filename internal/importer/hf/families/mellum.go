package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "mellum", Default: "MellumForCausalLM",
	Classes: stack.HeadedClasses("Mellum", stack.Layered(mellum))})

// mellum is qwen3 with experts, layer by layer as the config lists them.
func mellum(b *Build, x Node, i int64) Node {
	kind := nn.LayerKind(b, "layer_types", i, nn.FullAttention)
	a := nn.Rotary(b, 0).Biased(b.Bool("attention_bias")).Within(nn.WindowOf(b, kind))
	a.Base = nn.BaseOf(b, kind, map[string]float64{nn.FullAttention: 500_000}[kind])
	a.Norm = nn.HeadRMS
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
		func(x Node) Node {
			if nn.LayerKind(b, "mlp_layer_types", i, nn.SparseMLP) != nn.SparseMLP {
				return nn.DecoderMLP(b, x, false)
			}
			return nn.AddExperts(b, x, "mlp", nn.Routed(b, nn.LocalExperts(b), "moe_intermediate_size"))
		})
}
