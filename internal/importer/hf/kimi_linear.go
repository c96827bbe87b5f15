package hf

import (
	"slices"

	"github.com/modelverifier/verifier/internal/infer"
)

var _ = define(Family{Type: "kimi_linear", Default: "KimiLinearForCausalLM", Classes: headed("KimiLinear", func(b *Build) Decoder {
	return Decoder{Dim: b.Size("hidden_size"), Untied: true, Layer: kimiLinearLayer}
})})

// kimiLinearLayer has latent attention without positions in every fourth layer, and the delta rule in the others.
func kimiLinearLayer(b *Build, x Node, i int64) Node {
	return b.PreNorm(x, b.Size("hidden_size"),
		func(x Node) Node {
			if b.perLayerText("layer_types", i, b.kimiKind) == "full_attention" {
				l := b.latent()
				l.unturned = true
				return b.attendLatent(x, "self_attn", l)
			}
			return b.Scope("self_attn").kimiDelta(x)
		},
		func(x Node) Node {
			g := b.network(false)
			if !b.sparse(i, b.Or("first_k_dense_replace", 1)) {
				return b.Gated(x, "mlp", g)
			}
			e := Experts{Dim: g.Dim, Count: b.Size("num_experts"), TopK: b.Size("num_experts_per_token"), Hidden: b.Size("moe_intermediate_size")}
			g.Hidden = e.Hidden * b.Int("num_shared_experts")
			return b.mixture(x, e, g)
		})
}

// kimiKind is what linear_attn_config, which counts layers from 1, says of a layer, else what the class derives.
func (b *Build) kimiKind(i int64) string {
	old := b.inner("linear_attn_config")
	if old.Has("full_attn_layers") && old.Has("kda_layers") {
		if slices.Contains(old.Ints("kda_layers"), i+1) {
			return "linear_attention"
		}
		return "full_attention"
	}
	if i > 0 && i%4 == 0 {
		return "full_attention"
	}
	return "linear_attention"
}

// kimiSize is a size of the delta rule, under its name in linear_attn_config or its own.
func (b *Build) kimiSize(old, key string) int64 {
	if c := b.inner("linear_attn_config"); c.Has(old) {
		return c.Size(old)
	}
	return b.Size(key)
}

// kimiDelta is Kimi's delta attention: queries, keys and values pass a short convolution, and each head keeps a matrix that
// forgets feature by feature.
func (b *Build) kimiDelta(x Node) Node {
	dim, length := b.Size("hidden_size"), b.positions()
	head, heads, kernel := b.kimiSize("head_dim", "linear_head_dim"), b.kimiSize("num_heads", "linear_num_heads"), b.kimiSize("short_conv_kernel_size", "linear_conv_kernel_dim")
	wide := head * heads
	mixed := b.beside(b.Linear(x, "q_proj", dim, wide, false), b.Linear(x, "k_proj", dim, wide, false), b.Linear(x, "v_proj", dim, wide, false))
	mixed = b.causalConv(mixed, "conv1d", 3*wide, kernel, length)
	mixed = b.Activation(mixed, "hidden_act")
	forget := b.Scope("forget_gate").kimiForget(x, dim, head, heads)
	beta := b.Add("sigmoid", "", nil, b.Linear(x, "b_proj", dim, heads, false))
	// Each head reads its matrix twice and writes it once, for every position.
	y := b.unfollowed([]Node{mixed, forget, beta}, "", []int64{length, wide}, b.product(6, length, heads, head, head))
	gate := b.Linear(b.Linear(x, "g_a_proj", dim, head, false), "g_b_proj", head, wide, false)
	y = b.Add("qkNorm", "o_norm", Args{Int("headDim", head)}, y)
	b.Tensor("o_norm.weight", head)
	y = b.Add("multiply", "", nil, y, b.Add("sigmoid", "", nil, gate))
	return b.Linear(y, "o_proj", wide, dim, false)
}

// kimiForget is how much of each feature is forgotten.
func (b *Build) kimiForget(x Node, dim, head, heads int64) Node {
	g := b.Linear(b.Linear(x, "f_a_proj", dim, head, false), "f_b_proj", head, heads*head, false)
	bias := b.Add("parameter", "dt_bias", Args{Ints("shape", 1, heads*head)}, x)
	b.Tensor("dt_bias", heads*head)
	g = b.Add("softplus", "", nil, b.Unflatten(b.Add("add", "", nil, g, bias), heads, head))
	decay := b.Add("parameter", "A_log", Args{Ints("shape", 1, heads, 1)}, x)
	b.Tensor("A_log", 1, 1, heads, 1)
	return b.Flat(b.Add("neg", "", nil, b.Add("multiply", "", nil, b.Add("exp", "", nil, decay), g)))
}

// causalConv convolves each feature of (sequence, features) over the positions up to its own.
func (b *Build) causalConv(x Node, name string, features, kernel, length int64) Node {
	x = b.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, x)
	x = b.Add("depthwiseConv1d", name, Args{Int("inChannels", features), Int("kernelSize", kernel), Int("padding", kernel-1), Flag("bias", false)}, x)
	b.Tensor(name+".weight", features, 1, kernel)
	x = b.Slice(x, 0, length)
	return b.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, x)
}

// unfollowed is a part with attention, experts or a recurrence inside whose tensors nobody has counted, nor held against a run: what it saves
// for backward is more than its inputs, and not known.
func (b *Build) unfollowed(in []Node, name string, out []int64, flops int64, tensors ...Tensor) Node {
	n := b.opaqueOf(in, name, out, flops, tensors...)
	b.way(n, infer.UnfollowedWord)
	return n
}

// opaqueOf is Opaque for a part with several inputs and FLOPs that are not those of its matrices.
func (b *Build) opaqueOf(in []Node, name string, out []int64, flops int64, tensors ...Tensor) Node {
	n := b.Opaque(in[0], name, out, 0, tensors...)
	for _, from := range in[1:] {
		b.connect(from, n)
	}
	b.Set(n, "flops", Int("", flops).Value)
	return n
}
