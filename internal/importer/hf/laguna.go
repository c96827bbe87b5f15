package hf

var _ = define(Family{Type: "laguna", Default: "LagunaForCausalLM", Classes: headed("Laguna", layered(laguna))})

// laguna has its own number of heads in each layer, a gate on what they give, and experts in all layers but the first.
func laguna(b *Build, x Node, i int64) Node {
	kind := b.kind("layer_types", i, full)
	a := b.rotary(0).biased(b.Bool("attention_bias")).within(b.windowOf(kind))
	a.Base = b.baseOf(kind, map[string]float64{full: 500_000}[kind])
	a = b.partly(a, kind, map[string]float64{full: 0.5, sliding: 1}[kind], false)
	a.Norm = HeadRMS
	if b.Has("num_attention_heads_per_layer") {
		a.Heads = b.each("num_attention_heads_per_layer", i)
	}
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return b.Scope("self_attn").lagunaGate(x, a.filled()) },
		func(x Node) Node {
			if b.kind("mlp_layer_types", i, either(i == 0, dense, sparse)) != sparse {
				return b.mlp(x, false)
			}
			e := b.routed("num_experts", "moe_intermediate_size")
			e.Shared, e.ScoreBias = b.Size("shared_expert_intermediate_size"), "gate.e_score_correction_bias"
			return b.Experts(x, "mlp", e)
		})
}

// lagunaGate scales what is attended to, by one number for each head or for each feature.
func (b *Build) lagunaGate(x Node, a Attention) Node {
	y, wide := b.attended(x, a), a.Heads*a.HeadDim
	if v := b.value("gating"); v == true || v == "per-head" {
		gate := b.Add("softplus", "g_proj", nil, b.Linear(x, "g_proj", a.Dim, a.Heads, false))
		gate = b.Add("unsqueeze", "", Args{Int("dim", -1)}, gate)
		y = b.Add("multiply", "", nil, b.Unflatten(y, a.Heads, a.HeadDim), gate)
		y = b.Add("flatten", "", Args{Int("startDim", 2)}, y)
	} else {
		gate := b.Add("softplus", "g_proj", nil, b.Linear(x, "g_proj", a.Dim, wide, false))
		y = b.Add("multiply", "", nil, y, gate)
	}
	return b.Linear(y, a.O, wide, a.Dim, a.OutBias)
}
