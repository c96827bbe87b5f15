package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

// zamba2 has the mixer of Mamba 2, may share several blocks in turn, and gives each use of a block an adapter of its
// own.
func zamba2(b *Build) stack.Decoder {
	if !b.Bool("tie_word_embeddings") {
		config.Fail(config.CodeConfig, b.At("tie_word_embeddings"),
			"is false, which is not modelled: every layer would then have the adapters of all")
	}
	kinds := zambaKinds(b, func() []string {
		const m, h = "linear_attention", "hybrid"
		kinds := repeated([]string{m}, []string{m, m, m, m, m, h}, 7)
		return append(kinds, m, m, m, m, h, m, m, m, h, m, m)
	})
	return zambaModel(b, kinds, "shared_transformer", b.Size("num_mem_blocks"), zamba2Mixer, zamba2Block)
}

func zamba2Mixer(b *Build, x Node) Node {
	inner, heads, bias := nn.Expanded(b, "hidden_size", "mamba_expand"), b.Size("n_mamba_heads"),
		b.Bool("add_bias_linear")
	return nn.Mamba2(b, x, "", nn.Mamba2Sizes{Dim: b.Size("hidden_size"), Inner: inner, Heads: heads,
		Head:  b.SizeOr("mamba_headdim", inner/heads),
		State: b.Size("mamba_d_state"), Groups: b.Size("mamba_ngroups"), Kernel: b.Size("mamba_d_conv"), Bias: bias,
		OutBias: bias, ConvBias: true})
}

// zamba2Block is the shared transformer layer, with the adapters of the hybrid layer that uses it.
func zamba2Block(b *Build, own *Build, x Node, hybrid int64) Node {
	dim := b.Size("hidden_size")
	a := zambaAttention(b, b.SizeOr("attention_hidden_size", 2*dim))
	h := b.RMSNorm(x, "input_layernorm", a.Dim)
	at, ownAt := b.Scope("self_attn"), own.Scope("self_attn")
	map3 := func(name, adapter string, out int64) Node {
		y := at.Linear(h, name, a.Dim, out, false)
		if b.Bool("use_shared_attention_adapter") {
			y = at.Residual(y, zambaAdapter(ownAt, h, adapter, hybrid, a.Dim, a.Dim))
		}
		return y
	}
	q, k := map3("q_proj", "linear_q_adapter_list", a.Heads*a.HeadDim),
		map3("k_proj", "linear_k_adapter_list", a.KV*a.HeadDim)
	v := map3("v_proj", "linear_v_adapter_list", a.KV*a.HeadDim)
	if b.Bool("use_mem_rope") {
		q, k = nn.Rotate(at, q, a.HeadDim, nn.BaseOf(b, "", 0)), nn.Rotate(at, k, a.HeadDim, nn.BaseOf(b, "", 0))
	}
	h = at.Linear(at.Core(q, k, v, a.Heads, a.KV, true), "o_proj", a.Heads*a.HeadDim, dim, false)
	h = b.RMSNorm(h, "pre_ff_layernorm", dim)
	return zamba2Feed(b.Scope("feed_forward"), own.Scope("feed_forward"), h, dim, hybrid)
}

func zamba2Feed(b *Build, own *Build, x Node, dim, hybrid int64) Node {
	wide, bias := b.SizeOr("intermediate_size", 4*dim), b.Bool("add_bias_linear")
	both := b.Linear(x, "gate_up_proj", dim, 2*wide, bias)
	both = b.Residual(both, zambaAdapter(own, x, "gate_up_proj_adapter_list", hybrid, dim, 2*wide))
	y := b.Add("multiply", "", nil, b.Activation(b.Chunk(both, 2, 0), "hidden_act"), b.Chunk(both, 2, 1))
	return b.Linear(y, "down_proj", wide, dim, bias)
}

// zambaAdapter is two thin projections.
func zambaAdapter(b *Build, x Node, name string, i, in, out int64) Node {
	m, rank := b.Scope("%s.%d", name, i), b.Size("adapter_rank")
	return m.Linear(m.Linear(x, "0", in, rank, false), "1", rank, out, false)
}
