package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "zaya", Default: "ZayaForCausalLM",
	Classes: stack.HeadedClasses("Zaya", zaya)})

// zaya has attention with convolved queries and keys, experts that a small network chooses, which also sees what that
// of the layer before computed, and trained scales on both sides of every sum.
func zaya(b *Build) stack.Decoder {
	if b.Int("num_experts_per_tok") != 1 {
		config.Fail(config.CodeConfig, b.At("num_experts_per_tok"), "is %d but this class takes 1 only",
			b.Int("num_experts_per_tok"))
	}
	b.Divides("num_attention_heads", "num_key_value_heads")
	dim := b.Size("hidden_size")
	var routed Node
	return stack.Decoder{HeadBias: b.Bool("lm_head_bias"),
		Embedded: func(b *Build, x Node) Node {
			return rescaled(b, x, "input_hidden_states_bias", "input_hidden_states_scale", dim)
		},
		Layer: func(b *Build, x Node, i int64) Node {
			attended := zayaAttention(b.Scope("self_attn"), b.RMSNorm(x, "input_layernorm", dim),
				nn.LayerKind(b, "layer_types", i, "hybrid"))
			x = scaledSum(b.Scope("post_attention_residual_scale"), x, attended, dim)
			var fed Node
			fed, routed = zayaExperts(b.Scope("mlp"), b.RMSNorm(x, "post_attention_layernorm", dim), routed, i)
			return scaledSum(b.Scope("post_mlp_residual_scale"), x, fed, dim)
		}}
}

// rescaled adds a trained vector and multiplies by another.
func rescaled(b *Build, x Node, bias, scale string, dim int64) Node {
	one := func(name string) Node {
		n := b.Add("parameter", name, Args{build.Ints("shape", 1, dim)}, x)
		b.Tensor(name, dim)
		return n
	}
	return b.Add("multiply", "", nil, b.Add("add", "", nil, x, one(bias)), one(scale))
}

func scaledSum(b *Build, x, branch Node, dim int64) Node {
	branch = rescaled(b, branch, "hidden_states_bias", "hidden_states_scale", dim)
	return b.Residual(branch, rescaled(b, x, "residual_bias", "residual_scale", dim))
}

// zayaAttention convolves queries and keys together, and half of its values are those of the position before.
func zayaAttention(b *Build, x Node, kind string) Node {
	a := nn.Rotary(b, 0).Biased(b.Bool("attention_bias")).Filled()
	a.Base, a.KV = nn.BaseOf(b, kind, map[bool]float64{true: 1e4, false: 5e6}[kind == "hybrid_sliding"]),
		b.Size("num_key_value_heads")
	if kind == "hybrid_sliding" {
		a.Window = b.Size("sliding_window")
	}
	a = nn.PartlyRotary(b, a, kind, 0.5, false)
	wide, kv, length, m := a.Heads*a.HeadDim, a.KV*a.HeadDim, b.TextLength(), b.Scope("qkv_proj")
	q, k := m.Linear(x, "q_proj", a.Dim, wide, a.Bias), m.Linear(x, "k_proj", a.Dim, kv, a.Bias)
	mixed := zayaConv(m, nn.Beside(m, q, k), wide+kv, a.Heads+a.KV)
	residual := m.OpaqueOf([]Node{q, k}, "mean", []int64{length, wide + kv}, 0) // of each query and its key
	mixed = m.Residual(mixed, residual)
	before := m.Add("pad", "delay", Args{build.Ints("padding", 0, 0, 1, -1)}, x)
	v := nn.Beside(m, m.Linear(x, "v_proj_current", a.Dim, kv/2, a.Bias),
		m.Linear(before, "v_proj_delayed", a.Dim, kv/2, a.Bias))
	q, k = b.Slice(mixed, 0, wide), b.Slice(mixed, wide, wide+kv)
	plain := nn.Attention{Norm: nn.PlainRMS, HeadDim: a.HeadDim}
	q, k = nn.NormHeads(b, q, "qk_norm", a.Heads, plain), nn.NormHeads(b, k, "qk_norm", a.KV, plain)
	temp := b.Add("parameter", "qk_norm.temp", Args{build.Ints("shape", 1, a.KV, 1)}, x)
	b.Tensor("qk_norm.temp", a.KV)
	k = b.Flat(b.Add("multiply", "", nil, b.Unflatten(k, a.KV, a.HeadDim), temp))
	if a.Rotary {
		q, k = nn.RotateHeads(b, q, a.Heads, a), nn.RotateHeads(b, k, a.KV, a)
	}
	y := b.Core(q, k, v, a.Heads, a.KV, true)
	if a.Window > 0 {
		b.Set(y, "windowSize", build.Int("", a.Window).Value)
	}
	return b.Linear(y, "o_proj", wide, a.Dim, a.Bias)
}

// zayaConv is two convolutions over the positions up to each: of every feature, then inside every head.
func zayaConv(b *Build, x Node, features, groups int64) Node {
	first, second := b.Size("cca_time0"), b.Size("cca_time1")
	x = b.Add("pad", "", Args{build.Ints("padding", first+second-2, 0)}, b.Swap(x))
	conv := func(x Node, name string, kernel, groups int64) Node {
		n := b.Add("conv1d", name, Args{build.Int("inChannels", features), build.Int("outChannels", features),
			build.Int("kernelSize", kernel), build.Int("groups", groups)}, x)
		b.Weights(name, true, features, features/groups, kernel)
		return n
	}
	x = conv(conv(x, "conv_qk_depthwise", first, features), "conv_qk_grouped", second, groups)
	return b.Swap(x)
}

// zayaExperts gives the experts' result, and what the router passes on to that of the next layer. One choice more
// than there are experts visits none.
func zayaExperts(b *Build, x, routed Node, i int64) (fed, next Node) {
	dim, count, hidden, length := b.Size("hidden_size"), b.Size("num_experts"), b.Size("moe_intermediate_size"),
		b.TextLength()
	small, g := b.Size("router_hidden_size"), b.Scope("gate")
	next = g.Linear(x, "down_proj", dim, small, true)
	if i > 0 {
		scale := g.Add("parameter", "router_states_scale", Args{build.Ints("shape", 1, small)}, x)
		g.Tensor("router_states_scale", small)
		next = g.Residual(next, g.Add("multiply", "", nil, routed, scale))
	}
	m := g.Scope("router_mlp")
	h := m.Act(m.Linear(m.RMSNorm(next, "norm", small), "fc1", small, small, true), "gelu", "")
	h = m.Act(m.Linear(h, "fc2", small, small, true), "gelu", "")
	h = m.Linear(h, "out_proj", small, count+1, false)
	fed = b.OpaqueOf([]Node{x, h}, "experts", []int64{length, dim}, build.Product(b, 6, length, dim, hidden),
		build.T("gate_up_proj", count, 2*hidden, dim), build.T("down_proj", count, dim, hidden))
	return fed, next
}
