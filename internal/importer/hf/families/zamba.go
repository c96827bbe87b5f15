package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var (
	_ = family.Define(family.Family{Type: "zamba", Default: "ZambaForCausalLM",
		Classes: stack.HeadedClasses("Zamba", zamba, stack.SequenceClassification)})
	_ = family.Define(family.Family{Type: "zamba2", Default: "Zamba2ForCausalLM",
		Classes: stack.HeadedClasses("Zamba2", zamba2, stack.SequenceClassification)})
)

// zamba has Mamba's mixer in every layer, and in some before it one transformer layer that all of them share.
func zamba(b *Build) stack.Decoder {
	kinds := zambaKinds(b, func() []string {
		kinds := []string{"linear_attention", "linear_attention", "hybrid"}
		for i := range min(max(b.Int("num_hidden_layers")-3, 0), build.MaxComponents) {
			kinds = append(kinds, nn.Either(i%b.Size("attn_layer_period") == b.Int("attn_layer_offset"), "hybrid",
				"linear_attention"))
		}
		return kinds
	})
	if inner := b.Size("mamba_expand") * b.Size("hidden_size"); inner%b.Size("n_mamba_heads") != 0 {
		config.Fail(config.CodeContradiction, b.At("n_mamba_heads"),
			"is %d, which does not divide mamba_expand * hidden_size, %d", b.Int("n_mamba_heads"), inner)
	}
	blocks := int64(1)
	if !b.Bool("tie_word_embeddings") { // the switch that ties the head also decides whether the layers share their block
		blocks = int64(len(kinds))
	}
	return zambaModel(b, kinds, "shared_transf", blocks, zambaMixer, func(m, _ *Build, x Node, _ int64) Node {
		a := zambaAttention(m, m.SizeOr("attention_hidden_size", 2*m.Size("hidden_size")))
		h := m.RMSNorm(x, "input_layernorm", a.Dim)
		at := m.Scope("self_attn")
		h = at.Linear(nn.Attended(at, h, a), "o_proj", a.Heads*a.HeadDim, m.Size("hidden_size"), false)
		return nn.GatedMLPByKey(m, m.RMSNorm(h, "pre_ff_layernorm", m.Size("hidden_size")), "feed_forward",
			"intermediate_size", false)
	})
}

// zambaKinds are the kinds of the layers, whose number num_hidden_layers does not decide.
func zambaKinds(b *Build, derived func() []string) []string {
	if b.Has("layers_block_type") {
		return namedLayers(b, "layers_block_type")
	}
	return derived()
}

// namedLayers is a list that decides how many layers there are: one at least.
func namedLayers(b *Build, key string) []string {
	kinds := b.Strs(key)
	if len(kinds) == 0 {
		config.Fail(config.CodeConfig, b.At(key), "is empty but names a kind for every layer")
	}
	return kinds
}

// zambaModel shares blocks among the hybrid layers in turn. shared builds a block at its first place, once more where
// it was built before; own is that place for what belongs to one layer alone.
func zambaModel(b *Build, kinds []string, name string, blocks int64, mix func(b *Build, x Node) Node,
	shared func(m, own *Build, x Node, hybrid int64) Node) stack.Decoder {
	var embedded Node
	var places []*Build
	hybrid := int64(0)
	return stack.Decoder{Norm: "final_layernorm", Count: int64(len(kinds)), Embedded: func(_ *Build, x Node) Node {
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
			y := shared(m, own, nn.Beside(b, x, embedded), hybrid)
			h = b.Residual(x, b.Linear(y, "linear", dim, dim, false))
			hybrid++
		}
		return at.Residual(x, mix(at.Scope("mamba"), at.RMSNorm(h, "input_layernorm", dim)))
	}}
}

func zambaAttention(b *Build, wide int64) nn.Attention {
	heads := b.Size("num_attention_heads")
	return nn.Attention{Dim: wide, Heads: heads, KV: b.KVHeads(),
		HeadDim: b.SizeOr("attention_head_dim", 2*b.Size("hidden_size")/heads), Causal: true}.Filled()
}

// zambaMixer is Mamba's mixer with a step and matrices for each of a few heads.
func zambaMixer(b *Build, x Node) Node {
	dim, heads, state, rank := b.Size("hidden_size"), b.Size("n_mamba_heads"), b.Size("mamba_d_state"),
		nn.RankOf(b, "mamba_dt_rank")
	inner, bias, length := b.Size("mamba_expand")*dim, b.Bool("mamba_proj_bias"), b.TextLength()
	head := inner / heads
	both := b.Linear(x, "in_proj", dim, 2*inner, bias)
	u := b.Activation(nn.CausalConv1d(b, b.Chunk(both, 2, 0), "conv1d", inner, b.Size("mamba_d_conv"),
		b.Bool("mamba_conv_bias")), "hidden_mamba_act")
	steps := b.OpaqueOf([]Node{u}, "", []int64{length, heads * (rank + 2*state)},
		build.Product(b, 2, length, inner, rank+2*state), build.T("x_proj_weight", heads, rank+2*state, head))
	dt := b.OpaqueOf([]Node{steps}, "", []int64{length, inner}, build.Product(b, 2, length, inner, rank),
		build.T("dt_proj_weight", heads, head, rank), build.T("dt_proj_bias", heads, head))
	y := b.OpaqueOf([]Node{u, b.Add("softplus", "", nil, dt), steps}, "", []int64{length, inner}, 0,
		build.T("A_log", heads, head, state), build.T("D", heads, head))
	b.As(y, transformers.SelectiveScan{})
	b.SetSize(y, "stateSize", state)
	y = b.Add("multiply", "", nil, y, b.Activation(b.Chunk(both, 2, 1), "hidden_mamba_act"))
	return b.Linear(y, "out_proj", inner, dim, bias)
}
