package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "laguna", Default: "LagunaForCausalLM",
	Classes: stack.HeadedClasses("Laguna", stack.Layered(laguna))})

// laguna has its own number of heads in each layer, a gate on what they give, and experts in all layers but the first.
func laguna(b *Build, x Node, i int64) Node {
	kind := nn.LayerKind(b, "layer_types", i, nn.FullAttention)
	a := nn.Rotary(b, 0).Biased(b.Bool("attention_bias")).Within(nn.WindowOf(b, kind))
	a.Base = nn.BaseOf(b, kind, map[string]float64{nn.FullAttention: 500_000}[kind])
	a = nn.PartlyRotary(b, a, kind, map[string]float64{nn.FullAttention: 0.5, nn.SlidingAttention: 1}[kind], false)
	a.Norm = nn.HeadRMS
	if b.Has("num_attention_heads_per_layer") {
		a.Heads = each(b, "num_attention_heads_per_layer", i)
	}
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return lagunaGate(b.Scope("self_attn"), x, a.Filled()) },
		func(x Node) Node {
			if nn.LayerKind(b, "mlp_layer_types", i, nn.Either(i == 0, nn.DenseMLP, nn.SparseMLP)) != nn.SparseMLP {
				return nn.DecoderMLP(b, x, false)
			}
			e := nn.Routed(b, "num_experts", "moe_intermediate_size")
			e.Shared, e.ScoreBias = b.Size("shared_expert_intermediate_size"), "gate.e_score_correction_bias"
			return nn.AddExperts(b, x, "mlp", e)
		})
}

// lagunaGate scales what is attended to, by one number for each head or for each feature.
func lagunaGate(b *Build, x Node, a nn.Attention) Node {
	y, wide := nn.Attended(b, x, a), a.Heads*a.HeadDim
	if v := b.Value("gating"); v == true || v == "per-head" {
		gate := b.Add("softplus", "g_proj", nil, b.Linear(x, "g_proj", a.Dim, a.Heads, false))
		gate = b.Add("unsqueeze", "", Args{build.Int("dim", -1)}, gate)
		y = b.Add("multiply", "", nil, b.Unflatten(y, a.Heads, a.HeadDim), gate)
		y = b.Flat(y)
	} else {
		gate := b.Add("softplus", "g_proj", nil, b.Linear(x, "g_proj", a.Dim, wide, false))
		y = b.Add("multiply", "", nil, y, gate)
	}
	return b.Linear(y, a.O, wide, a.Dim, a.OutBias)
}
