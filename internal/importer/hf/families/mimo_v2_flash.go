package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "mimo_v2_flash", Default: "MiMoV2FlashForCausalLM",
	Classes: stack.HeadedClasses("MiMoV2Flash", stack.Layered(mimoV2Flash))})

// mimoV2Flash has values of another size than keys; layers that slide have twice the key heads and a sink in each head.
func mimoV2Flash(b *Build, x Node, i int64) Node {
	kind := nn.LayerKind(b, "layer_types", i, nn.Either(i == 0 || (i+1)%6 == 0, nn.FullAttention, nn.SlidingAttention))
	a := nn.Rotary(b, 0).Within(nn.WindowOf(b, kind))
	a.KV = b.Size("num_key_value_heads")
	a.Base, a.Bias = nn.BaseOf(b, kind, map[string]float64{nn.FullAttention: 5e6}[kind]), b.Bool("attention_bias")
	a = nn.PartlyRotary(b, a, kind, 0.334, false)
	if kind == nn.SlidingAttention {
		a.KV, a.Sinks = 2*a.KV, "sinks"
	}
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return wideValues(b.Scope("self_attn"), x, a.Filled(), b.Size("v_head_dim")) },
		func(x Node) Node {
			if nn.LayerKind(b, "mlp_layer_types", i, nn.Either(i == 0, nn.DenseMLP, nn.SparseMLP)) != nn.SparseMLP {
				return nn.DecoderMLP(b, x, false)
			}
			return nn.AddExperts(b, x, "mlp", nn.Routed(b, "n_routed_experts", "moe_intermediate_size"))
		})
}

// wideValues is attention whose values have their own number of features.
func wideValues(b *Build, x Node, a nn.Attention, valueDim int64) Node {
	q, k := b.Linear(x, a.Q, a.Dim, a.Heads*a.HeadDim, a.Bias), b.Linear(x, a.K, a.Dim, a.KV*a.HeadDim, a.Bias)
	if a.Rotary {
		q, k = nn.RotateHeads(b, q, a.Heads, a), nn.RotateHeads(b, k, a.KV, a)
	}
	v := b.Linear(x, a.V, a.Dim, a.KV*valueDim, a.Bias)
	y := b.Core(q, k, v, a.Heads, a.KV, true)
	if a.Window > 0 {
		b.Set(y, "windowSize", build.Int("", a.Window).Value)
	}
	if a.Sinks != "" {
		b.Set(y, "sinks", build.Flag("", true).Value)
		b.Tensor(a.Sinks, a.Heads)
	}
	return b.Linear(y, a.O, a.Heads*valueDim, a.Dim, a.OutBias)
}
