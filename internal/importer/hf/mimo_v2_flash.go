package hf

var _ = define(Family{Type: "mimo_v2_flash", Default: "MiMoV2FlashForCausalLM", Classes: headed("MiMoV2Flash", layered(mimoV2Flash))})

// mimoV2Flash has values of another size than keys; layers that slide have twice the key heads and a sink in each head.
func mimoV2Flash(b *Build, x Node, i int64) Node {
	kind := b.kind("layer_types", i, either(i == 0 || (i+1)%6 == 0, full, sliding))
	a := b.rotary(0).within(b.windowOf(kind))
	a.KV = b.Size("num_key_value_heads")
	a.Base, a.Bias = b.baseOf(kind, map[string]float64{full: 5e6}[kind]), b.Bool("attention_bias")
	a = b.partly(a, kind, 0.334, false)
	if kind == sliding {
		a.KV, a.Sinks = 2*a.KV, "sinks"
	}
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return b.Scope("self_attn").wideValues(x, a.filled(), b.Size("v_head_dim")) },
		func(x Node) Node {
			if b.kind("mlp_layer_types", i, either(i == 0, dense, sparse)) != sparse {
				return b.mlp(x, false)
			}
			return b.Experts(x, "mlp", b.routed("n_routed_experts", "moe_intermediate_size"))
		})
}

// wideValues is attention whose values have their own number of features.
func (b *Build) wideValues(x Node, a Attention, valueDim int64) Node {
	q, k := b.Linear(x, a.Q, a.Dim, a.Heads*a.HeadDim, a.Bias), b.Linear(x, a.K, a.Dim, a.KV*a.HeadDim, a.Bias)
	if a.Rotary {
		q, k = b.turn(q, a.Heads, a), b.turn(k, a.KV, a)
	}
	v := b.Linear(x, a.V, a.Dim, a.KV*valueDim, a.Bias)
	y := b.Core(q, k, v, a.Heads, a.KV, true)
	if a.Window > 0 {
		b.Set(y, "windowSize", Int("", a.Window).Value)
	}
	if a.Sinks != "" {
		b.Set(y, "sinks", Flag("", true).Value)
		b.Tensor(a.Sinks, a.Heads)
	}
	return b.Linear(y, a.O, a.Heads*valueDim, a.Dim, a.OutBias)
}
