package hf

import "slices"

var _ = define(Family{Type: "olmo_hybrid", Default: "OlmoHybridForCausalLM", Classes: headed("OlmoHybrid", olmoHybrid)})

// olmoHybrid has the gated delta rule behind a norm in most layers, and OLMo 2's layer, with its norms behind, in every fourth.
func olmoHybrid(b *Build) Decoder {
	kinds := b.olmoKinds()
	if !slices.ContainsFunc(kinds, recurrent) || !slices.ContainsFunc(kinds, func(k string) bool { return !recurrent(k) }) {
		fail(CodeContradiction, b.at("layer_types"), "the %d layers of num_hidden_layers need one of linear_attention and one of attention at least", len(kinds))
	}
	return Decoder{Layer: func(b *Build, x Node, i int64) Node {
		feed := func(x Node) Node { return b.mlp(x, false) }
		if recurrent(kinds[i]) {
			return b.PreNorm(x, b.Size("hidden_size"), b.Scope("linear_attn").olmoDelta, feed)
		}
		a := b.rotaryAttention(0)
		a.Norm = FullRMS
		if rope := b.inner("rope_parameters"); rope.values != nil && !rope.Has("rope_theta") {
			_, given := rope.values["rope_theta"]
			a.Rotary = !given // an explicit null turns the positions off
		}
		return b.sandwich(x, norms{afterAttention: "post_attention_layernorm", afterFeed: "post_feedforward_layernorm"},
			func(x Node) Node { return b.Attend(x, "self_attn", a) }, feed)
	}}
}

// olmoKinds are the kinds of the layers. The last of a few that would all be recurrent has attention.
func (b *Build) olmoKinds() []string {
	n := b.Int("num_hidden_layers")
	kinds := make([]string, 0, min(max(n, 0), maxComponents))
	for i := range int64(cap(kinds)) {
		kinds = append(kinds, b.perLayerText("layer_types", i, func(i int64) string {
			return either(i%4 == 3 || n < 4 && i == n-1, full, "linear_attention")
		}))
	}
	return kinds
}

// olmoDelta is the delta rule with one map for each of its inputs.
func (b *Build) olmoDelta(x Node) Node {
	keys := b.SizeOr("linear_num_key_heads", b.Size("num_attention_heads"))
	d := delta{dim: b.Size("hidden_size"), heads: b.SizeOr("linear_num_value_heads", b.Size("num_attention_heads")), kernel: b.Size("linear_conv_kernel_dim")}
	d.keyHead = b.SizeOr("linear_key_head_dim", int64(0.75*float64(d.dim)/float64(keys)))
	d.valueHead = b.SizeOr("linear_value_head_dim", 2*d.keyHead)
	d.key, d.value = keys*d.keyHead, d.heads*d.valueHead
	linear := func(name string, out int64) Node { return b.Linear(x, name, d.dim, out, false) }
	mixed := b.beside(linear("q_proj", d.key), linear("k_proj", d.key), linear("v_proj", d.value))
	mixed = b.Activation(b.convolved(mixed, "conv1d", 2*d.key+d.value, d.kernel, false), "hidden_act")
	y := b.ruled(d, b.positions(), mixed, linear("a_proj", d.heads), b.Add("sigmoid", "", nil, linear("b_proj", d.heads)))
	return b.Linear(b.normAndGate(y, linear("g_proj", d.value), "o_norm", d), "o_proj", d.value, d.dim, false)
}
