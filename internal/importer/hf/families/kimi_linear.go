package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "kimi_linear", Default: "KimiLinearForCausalLM",
	Classes: stack.HeadedClasses("KimiLinear", func(b *Build) stack.Decoder {
		return stack.Decoder{Dim: b.Size("hidden_size"), Untied: true, Layer: kimiLinearLayer}
	})})

// kimiLinearLayer has latent attention without positions in every fourth layer, and the delta rule in the others.
func kimiLinearLayer(b *Build, x Node, i int64) Node {
	return nn.PreNorm(b, x, b.Size("hidden_size"),
		func(x Node) Node {
			if nn.PerLayerText(b, "layer_types", i,
				func(i int64) string { return kimiKind(b, i) }) == "full_attention" {
				l := nn.LatentOf(b)
				l.NoRotary = true
				return nn.AttendLatent(b, x, "self_attn", l)
			}
			return kimiDelta(b.Scope("self_attn"), x)
		},
		func(x Node) Node {
			g := nn.DefaultGated(b, false)
			if !nn.IsSparse(b, i, b.Or("first_k_dense_replace", 1)) {
				return nn.GatedMLP(b, x, "mlp", g)
			}
			e := nn.Experts{Dim: g.Dim, Count: b.Size("num_experts"), TopK: b.Size("num_experts_per_token"),
				Hidden: b.Size("moe_intermediate_size")}
			g.Hidden = e.Hidden * b.Int("num_shared_experts")
			return nn.Mixture(b, x, e, g)
		})
}

// kimiKind is what linear_attn_config, which counts layers from 1, says of a layer, else what the class derives.
func kimiKind(b *Build, i int64) string {
	old := b.Inner("linear_attn_config")
	if old.Has("full_attn_layers") && old.Has("kda_layers") {
		if old.HasInt("kda_layers", i+1) {
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
func kimiSize(b *Build, old, key string) int64 {
	if c := b.Inner("linear_attn_config"); c.Has(old) {
		return c.Size(old)
	}
	return b.Size(key)
}

// kimiDelta is Kimi's delta attention: queries, keys and values pass a short convolution, and each head keeps a
// matrix that forgets feature by feature.
func kimiDelta(b *Build, x Node) Node {
	dim, length := b.Size("hidden_size"), b.TextLength()
	head, heads, kernel := kimiSize(b, "head_dim", "linear_head_dim"), kimiSize(b, "num_heads", "linear_num_heads"),
		kimiSize(b, "short_conv_kernel_size", "linear_conv_kernel_dim")
	wide := head * heads
	mixed := nn.Beside(b, b.Linear(x, "q_proj", dim, wide, false), b.Linear(x, "k_proj", dim, wide, false),
		b.Linear(x, "v_proj", dim, wide, false))
	mixed = causalConv(b, mixed, "conv1d", 3*wide, kernel, length)
	mixed = b.Activation(mixed, "hidden_act")
	forget := kimiForget(b.Scope("forget_gate"), x, dim, head, heads)
	beta := b.Add("sigmoid", "", nil, b.Linear(x, "b_proj", dim, heads, false))
	// Each head reads its matrix twice and writes it once, for every position.
	y := unfollowed(b, []Node{mixed, forget, beta}, "", []int64{length, wide},
		build.Product(b, 6, length, heads, head, head))
	gate := b.Linear(b.Linear(x, "g_a_proj", dim, head, false), "g_b_proj", head, wide, false)
	y = b.Add("qkNorm", "o_norm", Args{build.Int("headDim", head)}, y)
	b.Tensor("o_norm.weight", head)
	y = b.Add("multiply", "", nil, y, b.Add("sigmoid", "", nil, gate))
	return b.Linear(y, "o_proj", wide, dim, false)
}

// kimiForget is how much of each feature is forgotten.
func kimiForget(b *Build, x Node, dim, head, heads int64) Node {
	g := b.Linear(b.Linear(x, "f_a_proj", dim, head, false), "f_b_proj", head, heads*head, false)
	bias := b.Add("parameter", "dt_bias", Args{build.Ints("shape", 1, heads*head)}, x)
	b.Tensor("dt_bias", heads*head)
	g = b.Add("softplus", "", nil, b.Unflatten(b.Add("add", "", nil, g, bias), heads, head))
	decay := b.Add("parameter", "A_log", Args{build.Ints("shape", 1, heads, 1)}, x)
	b.Tensor("A_log", 1, 1, heads, 1)
	return b.Flat(b.Add("neg", "", nil, b.Add("multiply", "", nil, b.Add("exp", "", nil, decay), g)))
}

// causalConv convolves each feature of (sequence, features) over the positions up to its own.
func causalConv(b *Build, x Node, name string, features, kernel, length int64) Node {
	x = b.Swap(x)
	x = b.Add("depthwiseConv1d", name, Args{build.Int("inChannels", features), build.Int("kernelSize", kernel),
		build.Int("padding", kernel-1), build.Flag("bias", false)}, x)
	b.Tensor(name+".weight", features, 1, kernel)
	x = b.Slice(x, 0, length)
	return b.Swap(x)
}

// unfollowed is a part with attention, experts or a recurrence inside whose tensors nobody has counted, nor compared
// with a run: what it saves for backward is more than its inputs, and not known.
func unfollowed(b *Build, in []Node, name string, out []int64, flops int64, tensors ...build.Tensor) Node {
	n := b.OpaqueOf(in, name, out, flops, tensors...)
	build.Unfollowed(b, n)
	return n
}
