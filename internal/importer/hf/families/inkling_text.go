package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "inkling_text", Default: "InklingForCausalLM",
	Classes: map[string]func(*Build){
		"InklingForCausalLM": func(b *Build) {
			d := inkling(b).Filled(b)
			x, _ := stack.Trunk(b, d, "model")
			b.Output(stack.LMHead(b, x, "lm_head", d.Dim, b.Size("vocab_size"), false, 0, false)) // never tied
		},
		"InklingTextModel": func(b *Build) { stack.BareModel(b, inkling(b)) },
	}})

// inkling has short convolutions behind keys, values, attention and network, and learned scores for distances in the
// place of rotary positions. Layers that slide have their own heads.
func inkling(*Build) stack.Decoder {
	return stack.Decoder{
		Embedded: func(b *Build, x Node) Node { return b.RMSNorm(x, "embed_norm", b.Size("hidden_size")) },
		Layer: func(b *Build, x Node, i int64) Node {
			dim, kernel := b.Size("hidden_size"), b.Size("conv_kernel_size")
			return nn.PreNorm(b, x, dim,
				func(x Node) Node {
					y := inklingAttention(b.Scope("self_attn"), x, inklingSlides(b, i), kernel)
					return shortConv(b, y, "attn_sconv", dim, kernel)
				},
				func(x Node) Node {
					m, kind := b.Scope("mlp"), nn.LayerKind(b, "mlp_layer_types", i,
						nn.Either(i < b.Or("dense_mlp_idx", 0), nn.DenseMLP, nn.SparseMLP))
					if kind == nn.SparseMLP {
						return shortConv(b, inklingExperts(m, x), "mlp_sconv", dim, kernel)
					}
					wide := b.SizeOr("dense_intermediate_size", b.Size("intermediate_size"))
					y := nn.GatedMLP(b, x, "mlp", nn.Gated{Dim: dim, Hidden: wide, Act: b.Str("hidden_act")})
					return shortConv(b, scaled(m, y, "global_scale"), "mlp_sconv", dim, kernel)
				})
		}}
}

// inklingSlides says whether a layer sees a window: all but every sixth, unless the config lists them.
func inklingSlides(b *Build, i int64) bool {
	slides := (i+1)%6 != 0
	if b.Has("local_layer_ids") {
		slides = b.HasInt("local_layer_ids", i)
	}
	return nn.LayerKind(b, "layer_types", i, nn.Either(slides, "hybrid_sliding", "hybrid")) == "hybrid_sliding"
}

func inklingAttention(b *Build, x Node, slides bool, kernel int64) Node {
	a := nn.Attention{Dim: b.Size("hidden_size"), Heads: b.Size("num_attention_heads"),
		KV:      b.Size("num_key_value_heads"),
		HeadDim: b.Size("head_dim"), Norm: nn.HeadRMS}
	extent := b.Size("rel_extent")
	if slides {
		a.Heads, a.KV, a.HeadDim = b.Size("swa_num_attention_heads"), b.Size("swa_num_key_value_heads"),
			b.Size("swa_head_dim")
		a.Window = b.Size("sliding_window_size")
		extent = a.Window
	}
	a = a.Filled()
	q, k, v := nn.Project(b, x, a)
	k, v = shortConv(b, k, "k_sconv", a.KV*a.HeadDim, kernel), shortConv(b, v, "v_sconv", a.KV*a.HeadDim, kernel)
	q, k = nn.NormHeads(b, q, a.QNorm, a.Heads, a), nn.NormHeads(b, k, a.KNorm, a.KV, a)
	near, n := b.Size("d_rel"), b.Length(b.MaxPositions())
	r := b.Unflatten(b.Linear(x, "r_proj", a.Dim, a.Heads*near, false), a.Heads, near)
	r = b.Add("linear", "rel_logits_proj", Args{build.Int("inFeatures", near), build.Int("outFeatures", extent),
		build.Flag("bias", false)}, r)
	b.Tensor("rel_logits_proj.proj", near, extent)
	bias := b.Opaque(r, "rel_logits_proj", []int64{a.Heads, n, n}, n) // each pair takes the score of its distance
	y := b.Core(q, k, v, a.Heads, a.KV, true, bias)
	if a.Window > 0 {
		b.Set(y, "windowSize", build.Int("", a.Window).Value)
	}
	return b.Linear(y, a.O, a.Heads*a.HeadDim, a.Dim, false)
}

// inklingExperts has a router that scores the shared experts, too, and one number that scales everything.
func inklingExperts(b *Build, x Node) Node {
	e, shared := nn.Routed(b, "n_routed_experts", "moe_intermediate_size"), b.Size("n_shared_experts")
	y := b.Add("moeLayer", "", Args{build.Int("embedDim", e.Dim), build.Int("numExperts", e.Count),
		build.Int("topK", e.TopK), build.Int("expertDim", e.Hidden)}, x)
	build.Activated(b, y)
	nn.Stacked(b, e)
	score := b.Add("linear", "gate", Args{build.Int("inFeatures", e.Dim), build.Int("outFeatures", shared),
		build.Flag("bias", false)}, x)
	b.Tensor("gate.weight", e.Count+shared, e.Dim) // the first rows are the router of the component above
	score = b.Add("unsqueeze", "", Args{build.Int("dim", -1)}, b.Add("sigmoid", "gate", nil, score))
	m := b.Scope("shared_experts")
	linear := func(x Node, name string, in, out int64, shape ...int64) Node {
		n := m.Add("linear", name, Args{build.Int("inFeatures", in), build.Int("outFeatures", out),
			build.Flag("bias", false)}, x)
		m.Tensor(name, shape...)
		return n
	}
	gate := m.Activation(linear(x, "gate_proj", e.Dim, shared*e.Hidden, shared, e.Hidden, e.Dim), "hidden_act")
	up := linear(x, "up_proj", e.Dim, shared*e.Hidden, shared, e.Hidden, e.Dim)
	wide := m.Unflatten(m.Add("multiply", "", nil, gate, up), shared, e.Hidden)
	wide = m.Flat(m.Add("multiply", "", nil, wide, score))
	return scaled(b, b.Residual(y, linear(wide, "down_proj", shared*e.Hidden, e.Dim, shared, e.Dim, e.Hidden)),
		"gate.global_scale")
}

// scaled multiplies a sequence by one trained number.
func scaled(b *Build, x Node, name string) Node {
	w := b.Add("parameter", name, Args{build.Ints("shape", 1, 1)}, x)
	b.Tensor(name, 1)
	return b.Add("multiply", name, nil, x, w)
}

// shortConv adds to every position a mix of the few before it, each feature by itself.
func shortConv(b *Build, x Node, name string, dim, kernel int64) Node {
	m, n := b.Scope("%s", name), b.Length(b.MaxPositions())
	y := m.Swap(x)
	y = m.Add("conv1d", "conv1d", Args{build.Int("inChannels", dim), build.Int("outChannels", dim),
		build.Int("kernelSize", kernel), build.Int("padding", kernel-1),
		build.Int("groups", dim), build.Flag("bias", false)}, y)
	m.Tensor("conv1d.weight", dim, 1, kernel)
	y = m.Swap(m.Slice(y, 0, n))
	return m.Residual(y, x)
}
