package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "hy_v3", Default: "HYV3ForCausalLM",
	Classes: stack.HeadedClasses("HYV3", stack.Layered(hyV3))})

// hyV3 has experts beside shared ones in all layers but the first.
func hyV3(b *Build, x Node, i int64) Node {
	a := nn.Rotary(b, 11_158_840).Biased(b.Bool("attention_bias"))
	a.Norm = nn.HeadRMS
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
		func(x Node) Node {
			if nn.LayerKind(b, "mlp_layer_types", i, nn.Either(i == 0, nn.DenseMLP, nn.SparseMLP)) != nn.SparseMLP {
				return nn.DecoderMLP(b, x, b.Bool("mlp_bias"))
			}
			e := nn.Routed(b, "num_experts", "moe_intermediate_size")
			shared := nn.Gated{Dim: a.Dim, Hidden: e.Hidden * b.Size("num_shared_experts"), Bias: b.Bool("mlp_bias"),
				Act: b.Str("hidden_act")}
			return b.Residual(nn.AddExperts(b, x, "mlp", e), nn.GatedMLP(b, x, "mlp.shared_experts", shared))
		})
}
