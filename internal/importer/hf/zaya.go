package hf

var _ = define(Family{Type: "zaya", Default: "ZayaForCausalLM", Classes: headed("Zaya", zaya)})

// zaya has attention with convolved queries and keys, experts that a small network chooses, which also sees what that of the layer
// before computed, and trained scales on both sides of every sum.
func zaya(b *Build) Decoder {
	if b.Int("num_experts_per_tok") != 1 {
		fail(CodeConfig, b.at("num_experts_per_tok"), "is %d but this class takes 1 only", b.Int("num_experts_per_tok"))
	}
	b.divides("num_attention_heads", "num_key_value_heads")
	dim := b.Size("hidden_size")
	var routed Node
	return Decoder{HeadBias: b.Bool("lm_head_bias"),
		Embedded: func(b *Build, x Node) Node {
			return b.rescaled(x, "input_hidden_states_bias", "input_hidden_states_scale", dim)
		},
		Layer: func(b *Build, x Node, i int64) Node {
			attended := b.Scope("self_attn").zayaAttention(b.RMSNorm(x, "input_layernorm", dim), b.kind("layer_types", i, "hybrid"))
			x = b.Scope("post_attention_residual_scale").scaledSum(x, attended, dim)
			var fed Node
			fed, routed = b.Scope("mlp").zayaExperts(b.RMSNorm(x, "post_attention_layernorm", dim), routed, i)
			return b.Scope("post_mlp_residual_scale").scaledSum(x, fed, dim)
		}}
}

// rescaled adds a trained vector and multiplies by another.
func (b *Build) rescaled(x Node, bias, scale string, dim int64) Node {
	one := func(name string) Node {
		n := b.Add("parameter", name, Args{Ints("shape", 1, dim)}, x)
		b.Tensor(name, dim)
		return n
	}
	return b.Add("multiply", "", nil, b.Add("add", "", nil, x, one(bias)), one(scale))
}

func (b *Build) scaledSum(x, branch Node, dim int64) Node {
	branch = b.rescaled(branch, "hidden_states_bias", "hidden_states_scale", dim)
	return b.Residual(branch, b.rescaled(x, "residual_bias", "residual_scale", dim))
}

// zayaAttention convolves queries and keys together, and half of its values are those of the position before.
func (b *Build) zayaAttention(x Node, kind string) Node {
	a := b.rotary(0).biased(b.Bool("attention_bias")).filled()
	a.Base, a.KV = b.baseOf(kind, map[bool]float64{true: 1e4, false: 5e6}[kind == "hybrid_sliding"]), b.Size("num_key_value_heads")
	if kind == "hybrid_sliding" {
		a.Window = b.Size("sliding_window")
	}
	a = b.partly(a, kind, 0.5, false)
	wide, kv, length, m := a.Heads*a.HeadDim, a.KV*a.HeadDim, b.positions(), b.Scope("qkv_proj")
	q, k := m.Linear(x, "q_proj", a.Dim, wide, a.Bias), m.Linear(x, "k_proj", a.Dim, kv, a.Bias)
	mixed := m.zayaConv(m.beside(q, k), wide+kv, a.Heads+a.KV)
	residual := m.opaqueOf([]Node{q, k}, "mean", []int64{length, wide + kv}, 0) // of each query and its key
	mixed = m.Residual(mixed, residual)
	before := m.Add("pad", "delay", Args{Ints("padding", 0, 0, 1, -1)}, x)
	v := m.beside(m.Linear(x, "v_proj_current", a.Dim, kv/2, a.Bias), m.Linear(before, "v_proj_delayed", a.Dim, kv/2, a.Bias))
	q, k = b.Slice(mixed, 0, wide), b.Slice(mixed, wide, wide+kv)
	plain := Attention{Norm: PlainRMS, HeadDim: a.HeadDim}
	q, k = b.normHeads(q, "qk_norm", a.Heads, plain), b.normHeads(k, "qk_norm", a.KV, plain)
	temp := b.Add("parameter", "qk_norm.temp", Args{Ints("shape", 1, a.KV, 1)}, x)
	b.Tensor("qk_norm.temp", a.KV)
	k = b.Flat(b.Add("multiply", "", nil, b.Unflatten(k, a.KV, a.HeadDim), temp))
	if a.Rotary {
		q, k = b.turn(q, a.Heads, a), b.turn(k, a.KV, a)
	}
	y := b.Core(q, k, v, a.Heads, a.KV, true)
	if a.Window > 0 {
		b.Set(y, "windowSize", Int("", a.Window).Value)
	}
	return b.Linear(y, "o_proj", wide, a.Dim, a.Bias)
}

// zayaConv is two convolutions over the positions up to each: of every feature, then inside every head.
func (b *Build) zayaConv(x Node, features, groups int64) Node {
	first, second := b.Size("cca_time0"), b.Size("cca_time1")
	turned := Args{Int("dim0", 1), Int("dim1", 2)}
	x = b.Add("pad", "", Args{Ints("padding", first+second-2, 0)}, b.Add("transpose", "", turned, x))
	conv := func(x Node, name string, kernel, groups int64) Node {
		n := b.Add("conv1d", name, Args{Int("inChannels", features), Int("outChannels", features), Int("kernelSize", kernel), Int("groups", groups)}, x)
		b.weights(name, true, features, features/groups, kernel)
		return n
	}
	x = conv(conv(x, "conv_qk_depthwise", first, features), "conv_qk_grouped", second, groups)
	return b.Add("transpose", "", turned, x)
}

// zayaExperts gives the experts' result, and what the router passes on to that of the next layer. One choice more than there are
// experts visits none.
func (b *Build) zayaExperts(x, routed Node, i int64) (fed, next Node) {
	dim, count, hidden, length := b.Size("hidden_size"), b.Size("num_experts"), b.Size("moe_intermediate_size"), b.positions()
	small, g := b.Size("router_hidden_size"), b.Scope("gate")
	next = g.Linear(x, "down_proj", dim, small, true)
	if i > 0 {
		scale := g.Add("parameter", "router_states_scale", Args{Ints("shape", 1, small)}, x)
		g.Tensor("router_states_scale", small)
		next = g.Residual(next, g.Add("multiply", "", nil, routed, scale))
	}
	m := g.Scope("router_mlp")
	h := m.Act(m.Linear(m.RMSNorm(next, "norm", small), "fc1", small, small, true), "gelu", "")
	h = m.Act(m.Linear(h, "fc2", small, small, true), "gelu", "")
	h = m.Linear(h, "out_proj", small, count+1, false)
	fed = b.opaqueOf([]Node{x, h}, "experts", []int64{length, dim}, b.product(6, length, dim, hidden),
		T("gate_up_proj", count, 2*hidden, dim), T("down_proj", count, dim, hidden))
	return fed, next
}
