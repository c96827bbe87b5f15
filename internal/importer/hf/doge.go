package hf

import "math"

var _ = define(Family{Type: "doge", Default: "DogeForCausalLM", Classes: headed("Doge", layered(dogeLayer), sequences)})

// dogeLayer scales what goes round each branch by trained factors.
func dogeLayer(b *Build, x Node, _ int64) Node {
	dim := b.Size("hidden_size")
	around := func(x Node, name string) Node {
		x = b.Add("layerScale", name, Args{Int("dim", dim)}, x)
		b.Tensor(name, dim)
		return x
	}
	y := b.Scope("self_attn").dogeAttention(b.RMSNorm(x, "input_layernorm", dim))
	x = b.Residual(around(x, "input_residual"), y)
	y = b.dogeNetwork(b.RMSNorm(x, "post_attention_layernorm", dim))
	return b.Residual(around(x, "post_attention_residual"), y)
}

// dogeAttention computes from the values, for each head of keys, how much every position counts, and adds it to the scores.
func (b *Build) dogeAttention(x Node) Node {
	a := b.rotaryAttention(0).filled()
	a.Norm = HeadRMS
	q, k, v := b.project(x, a)
	q, k = b.normHeads(q, a.QNorm, a.Heads, a), b.normHeads(k, a.KNorm, a.KV, a)
	q, k = b.Rotate(q, a.HeadDim, a.Base), b.Rotate(k, a.HeadDim, a.Base)
	dt := b.Add("softplus", "", nil, b.Linear(v, "dt_proj", a.KV*a.HeadDim, a.KV, a.Bias))
	dt = b.Add("layerScale", "A", Args{Int("dim", a.KV)}, dt)
	b.Tensor("A", a.KV)
	mask := b.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, b.Add("exp", "", nil, dt))
	mask = b.Add("unsqueeze", "", Args{Int("dim", 2)}, mask) // (heads, 1, keys): the same for every query
	if a.Heads != a.KV {
		mask = b.Add("repeat", "", Args{Ints("repeats", a.Heads/a.KV, 1, 1)}, mask)
	}
	y := b.Core(q, k, v, a.Heads, a.KV, true, mask)
	if a.Heads == a.KV && b.positions() <= b.Size("keep_window_size") { // nothing copies the mask, which lies with the heads last
		b.way(y, "strided")
	}
	return b.Linear(y, a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}

// dogeNetwork is a gated network; with is_moe, experts of one hidden feature each are added, found by products of two keys.
func (b *Build) dogeNetwork(x Node) Node {
	g := b.network(b.Bool("mlp_bias"))
	y := b.Gated(x, "mlp", g)
	if !b.Bool("is_moe") {
		return y
	}
	count, top, length, m := b.Size("num_experts"), b.Size("num_experts_per_tok"), b.positions(), b.Scope("mlp")
	keys := int64(math.Sqrt(float64(count)))
	experts := m.Opaque(x, "", []int64{length, g.Dim}, length, T("router_gate.weight", 2*keys, g.Dim), T("down_embed.weight", count, g.Dim), T("up_embed.weight", count, g.Dim))
	m.Set(experts, "flops", Int("", m.product(2, length, g.Dim, 2*keys+2*top)).Value) // of the experts only those that a token visits
	return m.Residual(y, experts)
}
