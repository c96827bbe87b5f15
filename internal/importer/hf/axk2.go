package hf

var _ = define(Family{Type: "axk2", Default: "AXK2ForCausalLM", Classes: headed("AXK2", layered(axk2Layer), sequences, tokens)})

// axk2Layer is that of DeepSeek-V3.2 with gated norms and a gated attention.
func axk2Layer(b *Build, x Node, i int64) Node {
	dim := b.Size("hidden_size")
	sparse := b.perLayerText("mlp_layer_types", i, func(i int64) string {
		if i >= b.Or("first_k_dense_replace", 1) && i%b.SizeOr("moe_layer_freq", 1) == 0 {
			return "sparse"
		}
		return "dense"
	}) == "sparse"
	x = b.Residual(x, b.Scope("self_attn").axk2Attention(b.gatedNorm(x, "input_layernorm", dim)))
	var h Node
	if sparse {
		h = b.gatedNorm(x, "post_attention_layernorm", dim)
	} else {
		h = b.RMSNorm(x, "post_attention_layernorm", dim)
	}
	return b.Residual(x, b.deepseekNetwork(h, sparse, false))
}

// gatedNorm is a norm scaled by a gate of low rank that is computed from its result.
func (b *Build) gatedNorm(x Node, name string, dim int64) Node {
	m, rank := b.Scope("%s", name), b.Size("gated_norm_rank")
	y := m.RMSNorm(x, "norm", dim)
	gate := m.Linear(m.Add("silu", "mlp.activation_fn", nil, m.Linear(y, "mlp.fc1", dim, rank, false)), "mlp.fc2", rank, dim, false)
	return m.Add("multiply", "", nil, y, m.Add("sigmoid", "", nil, gate))
}

// axk2Attention makes queries and a gate of what the heads give by one map of the queries' latent vector, before and behind
// its norm.
func (b *Build) axk2Attention(x Node) Node {
	l := b.latent()
	if l.q == 0 {
		b.missing("q_lora_rank")
	}
	raw := b.Linear(x, "q_a_proj", l.dim, l.q, l.bias)
	latent := b.RMSNorm(raw, "q_a_layernorm", l.q)
	both := b.Linear(b.beside(latent, raw), "q_gate_proj", 2*l.q, l.heads*(l.query+l.value), false)
	both = b.Unflatten(both, l.heads, l.query+l.value)
	q := b.turnTail(b.Flat(b.Slice(both, 0, l.query)), l)
	gate := b.Add("sigmoid", "", nil, b.Flat(b.Slice(both, l.query, l.query+l.value)))
	k, v := b.latentKeys(x, l)
	y := b.Core(q, k, v, l.heads, l.heads, true, b.indexMask(x, latent, l))
	return b.Linear(b.Add("multiply", "", nil, y, gate), "o_proj", l.heads*l.value, l.dim, l.bias)
}
