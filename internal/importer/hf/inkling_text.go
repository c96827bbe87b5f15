package hf

import "slices"

var _ = define(Family{Type: "inkling_text", Default: "InklingForCausalLM", Classes: map[string]func(*Build){
	"InklingForCausalLM": func(b *Build) {
		d := inkling(b).filled(b)
		x, _ := b.trunk(d, "model")
		b.Output(b.LMHead(x, "lm_head", d.Dim, b.Size("vocab_size"), false, 0, false)) // never tied
	},
	"InklingTextModel": func(b *Build) { b.bareModel(inkling(b)) },
}})

// inkling has short convolutions behind keys, values, attention and network, and learned scores for distances in the place of
// rotary positions. Layers that slide have their own heads.
func inkling(*Build) Decoder {
	return Decoder{
		Embedded: func(b *Build, x Node) Node { return b.RMSNorm(x, "embed_norm", b.Size("hidden_size")) },
		Layer: func(b *Build, x Node, i int64) Node {
			dim, kernel := b.Size("hidden_size"), b.Size("conv_kernel_size")
			return b.PreNorm(x, dim,
				func(x Node) Node {
					y := b.Scope("self_attn").inklingAttention(x, b.inklingSlides(i), kernel)
					return b.shortConv(y, "attn_sconv", dim, kernel)
				},
				func(x Node) Node {
					m, kind := b.Scope("mlp"), b.kind("mlp_layer_types", i, either(i < b.Or("dense_mlp_idx", 0), dense, sparse))
					if kind == sparse {
						return b.shortConv(m.inklingExperts(x), "mlp_sconv", dim, kernel)
					}
					wide := b.SizeOr("dense_intermediate_size", b.Size("intermediate_size"))
					y := b.Gated(x, "mlp", Gated{Dim: dim, Hidden: wide, Act: b.Str("hidden_act")})
					return b.shortConv(m.scaled(y, "global_scale"), "mlp_sconv", dim, kernel)
				})
		}}
}

// inklingSlides says whether a layer sees a window: all but every sixth, unless the config lists them.
func (b *Build) inklingSlides(i int64) bool {
	slides := (i+1)%6 != 0
	if b.Has("local_layer_ids") {
		slides = slices.Contains(b.Ints("local_layer_ids"), i)
	}
	return b.kind("layer_types", i, either(slides, "hybrid_sliding", "hybrid")) == "hybrid_sliding"
}

func (b *Build) inklingAttention(x Node, slides bool, kernel int64) Node {
	a := Attention{Dim: b.Size("hidden_size"), Heads: b.Size("num_attention_heads"), KV: b.Size("num_key_value_heads"),
		HeadDim: b.Size("head_dim"), Norm: HeadRMS}
	extent := b.Size("rel_extent")
	if slides {
		a.Heads, a.KV, a.HeadDim = b.Size("swa_num_attention_heads"), b.Size("swa_num_key_value_heads"), b.Size("swa_head_dim")
		a.Window = b.Size("sliding_window_size")
		extent = a.Window
	}
	a = a.filled()
	q, k, v := b.project(x, a)
	k, v = b.shortConv(k, "k_sconv", a.KV*a.HeadDim, kernel), b.shortConv(v, "v_sconv", a.KV*a.HeadDim, kernel)
	q, k = b.normHeads(q, a.QNorm, a.Heads, a), b.normHeads(k, a.KNorm, a.KV, a)
	near, n := b.Size("d_rel"), b.Length(b.MaxPositions())
	r := b.Unflatten(b.Linear(x, "r_proj", a.Dim, a.Heads*near, false), a.Heads, near)
	r = b.Add("linear", "rel_logits_proj", Args{Int("inFeatures", near), Int("outFeatures", extent), Flag("bias", false)}, r)
	b.Tensor("rel_logits_proj.proj", near, extent)
	bias := b.Opaque(r, "rel_logits_proj", []int64{a.Heads, n, n}, n) // each pair takes the score of its distance
	y := b.Core(q, k, v, a.Heads, a.KV, true, bias)
	if a.Window > 0 {
		b.Set(y, "windowSize", Int("", a.Window).Value)
	}
	return b.Linear(y, a.O, a.Heads*a.HeadDim, a.Dim, false)
}

// inklingExperts has a router that scores the shared experts, too, and one number that scales everything.
func (b *Build) inklingExperts(x Node) Node {
	e, shared := b.routed("n_routed_experts", "moe_intermediate_size"), b.Size("n_shared_experts")
	y := b.Add("moeLayer", "", Args{Int("embedDim", e.Dim), Int("numExperts", e.Count), Int("topK", e.TopK), Int("expertDim", e.Hidden)}, x)
	b.stacked(e)
	score := b.Add("linear", "gate", Args{Int("inFeatures", e.Dim), Int("outFeatures", shared), Flag("bias", false)}, x)
	b.Tensor("gate.weight", e.Count+shared, e.Dim) // the first rows are the router of the component above
	score = b.Add("unsqueeze", "", Args{Int("dim", -1)}, b.Add("sigmoid", "gate", nil, score))
	m := b.Scope("shared_experts")
	linear := func(x Node, name string, in, out int64, shape ...int64) Node {
		n := m.Add("linear", name, Args{Int("inFeatures", in), Int("outFeatures", out), Flag("bias", false)}, x)
		m.Tensor(name, shape...)
		return n
	}
	gate := m.Activation(linear(x, "gate_proj", e.Dim, shared*e.Hidden, shared, e.Hidden, e.Dim), "hidden_act")
	up := linear(x, "up_proj", e.Dim, shared*e.Hidden, shared, e.Hidden, e.Dim)
	wide := m.Unflatten(m.Add("multiply", "", nil, gate, up), shared, e.Hidden)
	wide = m.Flat(m.Add("multiply", "", nil, wide, score))
	return b.scaled(b.Residual(y, linear(wide, "down_proj", shared*e.Hidden, e.Dim, shared, e.Dim, e.Hidden)), "gate.global_scale")
}

// scaled multiplies a sequence by one trained number.
func (b *Build) scaled(x Node, name string) Node {
	w := b.Add("parameter", name, Args{Ints("shape", 1, 1)}, x)
	b.Tensor(name, 1)
	return b.Add("multiply", name, nil, x, w)
}

// shortConv adds to every position a mix of the few before it, each feature by itself.
func (b *Build) shortConv(x Node, name string, dim, kernel int64) Node {
	m, n := b.Scope("%s", name), b.Length(b.MaxPositions())
	y := m.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, x)
	y = m.Add("conv1d", "conv1d", Args{Int("inChannels", dim), Int("outChannels", dim), Int("kernelSize", kernel), Int("padding", kernel-1),
		Int("groups", dim), Flag("bias", false)}, y)
	m.Tensor("conv1d.weight", dim, 1, kernel)
	y = m.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, m.Slice(y, 0, n))
	return m.Residual(y, x)
}
