package hf

import "strconv"

var (
	_ = define(Family{Type: "zamba", Default: "ZambaForCausalLM", Classes: headed("Zamba", zamba, sequences)})
	_ = define(Family{Type: "zamba2", Default: "Zamba2ForCausalLM", Classes: headed("Zamba2", zamba2, sequences)})
)

// zamba has Mamba's mixer in every layer, and in some before it one transformer layer that all of them share.
func zamba(b *Build) Decoder {
	kinds := b.zambaKinds(func() []string {
		kinds := []string{"linear_attention", "linear_attention", "hybrid"}
		for i := range min(max(b.Int("num_hidden_layers")-3, 0), maxComponents) {
			kinds = append(kinds, either(i%b.Size("attn_layer_period") == b.Int("attn_layer_offset"), "hybrid", "linear_attention"))
		}
		return kinds
	})
	if inner := b.Size("mamba_expand") * b.Size("hidden_size"); inner%b.Size("n_mamba_heads") != 0 {
		fail(CodeContradiction, b.at("n_mamba_heads"), "is %d, which does not divide mamba_expand * hidden_size, %d", b.Int("n_mamba_heads"), inner)
	}
	blocks := int64(1)
	if !b.Bool("tie_word_embeddings") { // the switch that ties the head also decides whether the layers share their block
		blocks = int64(len(kinds))
	}
	return b.zambaModel(kinds, "shared_transf", blocks, (*Build).zambaMixer, func(m, _ *Build, x Node, _ int64) Node {
		a := m.zambaAttention(m.SizeOr("attention_hidden_size", 2*m.Size("hidden_size")))
		h := m.RMSNorm(x, "input_layernorm", a.Dim)
		at := m.Scope("self_attn")
		h = at.Linear(at.attended(h, a), "o_proj", a.Heads*a.HeadDim, m.Size("hidden_size"), false)
		return m.gated(m.RMSNorm(h, "pre_ff_layernorm", m.Size("hidden_size")), "feed_forward", "intermediate_size", false)
	})
}

// zambaKinds are the kinds of the layers, whose number num_hidden_layers does not decide.
func (b *Build) zambaKinds(derived func() []string) []string {
	if b.Has("layers_block_type") {
		return b.namedLayers("layers_block_type")
	}
	return derived()
}

// namedLayers is a list that decides how many layers there are: one at least.
func (b *Build) namedLayers(key string) []string {
	kinds := b.Strs(key)
	if len(kinds) == 0 {
		fail(CodeConfig, b.at(key), "is empty but names a kind for every layer")
	}
	return kinds
}

// zambaModel shares blocks among the hybrid layers in turn. shared builds a block at its first place, once more where it was
// built before; own is that place for what belongs to one layer alone.
func (b *Build) zambaModel(kinds []string, name string, blocks int64, mix func(b *Build, x Node) Node,
	shared func(m, own *Build, x Node, hybrid int64) Node) Decoder {
	var embedded Node
	var places []*Build
	hybrid := int64(0)
	return Decoder{Norm: "final_layernorm", Count: int64(len(kinds)), Embedded: func(_ *Build, x Node) Node {
		embedded = x
		return x
	}, Layer: func(b *Build, x Node, i int64) Node {
		dim, at, h := b.Size("hidden_size"), b, x
		if kinds[i] == "hybrid" {
			at = b.Scope("mamba_decoder")
			if int64(len(places)) <= hybrid%blocks {
				places = append(places, b.Scope("%s", name))
			}
			own := places[hybrid%blocks]
			m := own
			if hybrid >= blocks {
				m = own.Again()
			}
			y := shared(m, own, b.beside(x, embedded), hybrid)
			h = b.Residual(x, b.Linear(y, "linear", dim, dim, false))
			hybrid++
		}
		return at.Residual(x, mix(at.Scope("mamba"), at.RMSNorm(h, "input_layernorm", dim)))
	}}
}

func (b *Build) zambaAttention(wide int64) Attention {
	heads := b.Size("num_attention_heads")
	return Attention{Dim: wide, Heads: heads, KV: b.KVHeads(), HeadDim: b.SizeOr("attention_head_dim", 2*b.Size("hidden_size")/heads), Causal: true}.filled()
}

// zambaMixer is Mamba's mixer with a step and matrices for each of a few heads.
func (b *Build) zambaMixer(x Node) Node {
	dim, heads, state, rank := b.Size("hidden_size"), b.Size("n_mamba_heads"), b.Size("mamba_d_state"), b.rankOf("mamba_dt_rank")
	inner, bias, length := b.Size("mamba_expand")*dim, b.Bool("mamba_proj_bias"), b.positions()
	head := inner / heads
	both := b.Linear(x, "in_proj", dim, 2*inner, bias)
	u := b.Activation(b.convolved(b.Chunk(both, 2, 0), "conv1d", inner, b.Size("mamba_d_conv"), b.Bool("mamba_conv_bias")), "hidden_mamba_act")
	steps := b.opaqueOf([]Node{u}, "", []int64{length, heads * (rank + 2*state)}, b.product(2, length, inner, rank+2*state), T("x_proj_weight", heads, rank+2*state, head))
	dt := b.opaqueOf([]Node{steps}, "", []int64{length, inner}, b.product(2, length, inner, rank), T("dt_proj_weight", heads, head, rank), T("dt_proj_bias", heads, head))
	y := b.opaqueOf([]Node{u, b.Add("softplus", "", nil, dt), steps}, "", []int64{length, inner}, 0, T("A_log", heads, head, state), T("D", heads, head))
	b.way(y, "serial/state"+strconv.FormatInt(state, 10))
	y = b.Add("multiply", "", nil, y, b.Activation(b.Chunk(both, 2, 1), "hidden_mamba_act"))
	return b.Linear(y, "out_proj", inner, dim, bias)
}
