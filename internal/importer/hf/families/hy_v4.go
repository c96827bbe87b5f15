package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "hy_v4", Default: "HYV4ForCausalLM",
	Classes: stack.HeadedClasses("HYV4", hyV4)})

// hyV4 keeps several streams of features, which small networks mix into the input of attention and experts and which
// each result is added to. Attention goes through latent vectors, an indexer chooses the positions that it sees, and
// some layers take the choice of the layer before.
func hyV4(b *Build) stack.Decoder {
	var seen *Node
	streams := b.Size("hc_mult")
	return stack.Decoder{
		Embedded: func(b *Build, x Node) Node {
			x = b.Add("unsqueeze", "", Args{build.Int("dim", 2)}, x)
			return b.Add("expand", "", Args{build.Ints("shape", -1, streams, -1)}, x)
		},
		Layer: func(b *Build, x Node, i int64) Node {
			dim := b.Size("hidden_size")
			x = hyStreams(b, x, "attn_hc", streams, func(x Node) Node {
				x = b.RMSNorm(x, "input_layernorm", dim)
				m := b.Scope("self_attn")
				return hyAttention(m, x, i, &seen)
			})
			return hyStreams(b, x, "ffn_hc", streams, func(x Node) Node {
				x = b.RMSNorm(x, "post_attention_layernorm", dim)
				if nn.LayerKind(b, "mlp_layer_types", i, nn.Either(i == 0, nn.DenseMLP, nn.SparseMLP)) != nn.SparseMLP {
					return nn.DecoderMLP(b, x, false)
				}
				e := nn.Routed(b, "n_routed_experts", "moe_intermediate_size")
				e.Shared = e.Hidden * b.Size("n_shared_experts")
				return nn.AddExperts(b, x, "mlp", e)
			})
		},
		FinalNorm: func(b *Build, x Node, name string, dim int64) Node {
			flat := b.Flat(x)
			n := b.Length(b.MaxPositions())
			gates := b.Opaque(flat, "hc_head", []int64{n, streams}, n, build.T("hc_fn", streams, streams*dim),
				build.T("hc_base", streams), build.T("hc_scale", 1))
			b.As(gates, transformers.Opaque{Wide: true})
			return b.RMSNorm(mixed(b, x, gates), name, dim)
		}}
}

// hyStreams feeds a part with a mix of the streams, and adds what it gives to each of them with a weight of its own.
func hyStreams(b *Build, x Node, name string, streams int64, part func(x Node) Node) Node {
	dim, n := b.Size("hidden_size"), b.Length(b.MaxPositions())
	flat := b.Add("flatten", name, Args{build.Int("startDim", 2)}, x)
	gates := b.Scope("%s", name).Opaque(flat, "", []int64{n, 2 * streams}, n, build.T("fn", 2*streams, streams*dim),
		build.T("base", 2*streams), build.T("scale", 2))
	b.As(gates, transformers.Opaque{Wide: true})
	y := part(mixed(b, x, b.Slice(gates, 0, streams)))
	post := b.Add("unsqueeze", "", Args{build.Int("dim", -1)}, b.Slice(gates, streams, 2*streams))
	y = b.Add("multiply", "", nil, post, b.Add("unsqueeze", "", Args{build.Int("dim", 2)}, y))
	b.As(y, transformers.Product{Wide: true})
	return b.Residual(y, x)
}

// mixed is the sum of the streams, each with its weight.
func mixed(b *Build, x, weights Node) Node {
	weights = b.Add("unsqueeze", "", Args{build.Int("dim", -1)}, weights)
	return b.Add("sum", "", Args{build.Int("dim", 2)}, b.Add("multiply", "", nil, weights, x))
}

func hyAttention(b *Build, x Node, i int64, seen **Node) Node {
	dim, heads, bias := b.Size("hidden_size"), b.Size("num_attention_heads"), b.Bool("attention_bias")
	plain, rotated, value := b.Size("qk_nope_head_dim"), b.Size("qk_rope_head_dim"), b.Size("v_head_dim")
	rank, kvRank := b.Size("q_lora_rank"), b.Size("kv_lora_rank")
	gate := b.Add("sigmoid", "gate_proj", nil, b.Linear(x, "gate_proj", dim, heads*value, false))
	latent := b.RMSNorm(b.Linear(x, "q_a_proj", dim, rank, bias), "q_a_layernorm", rank)
	q := b.Unflatten(b.Linear(latent, "q_b_proj", rank, heads*(plain+rotated), false), heads, plain+rotated)
	tail := nn.Rotate(b, b.Flat(b.Slice(q, plain, plain+rotated)), rotated, nn.BaseOf(b, "", 0))
	q = b.Flat(b.Add("concatenate", "", Args{build.Int("dim", -1)}, b.Slice(q, 0, plain),
		b.Unflatten(tail, heads, rotated)))

	both := b.Linear(x, "kv_a_proj_with_mqa", dim, kvRank+rotated, bias)
	kv := b.RMSNorm(b.Slice(both, 0, kvRank), "kv_a_layernorm", kvRank)
	kv = b.Unflatten(b.Linear(kv, "kv_b_proj", kvRank, heads*(plain+value), false), heads, plain+value)
	tail = nn.Rotate(b, b.Slice(both, kvRank, kvRank+rotated), rotated, nn.BaseOf(b, "", 0))
	tail = b.Add("expand", "", Args{build.Ints("shape", -1, heads, -1)},
		b.Add("unsqueeze", "", Args{build.Int("dim", 2)}, tail))
	k := b.Flat(b.Add("concatenate", "", Args{build.Int("dim", -1)}, b.Slice(kv, 0, plain), tail))
	v := b.Flat(b.Slice(kv, plain, plain+value))

	if nn.LayerKind(b, "indexer_types", i, nn.Either(i == 0 || (i-1)%4 == 0, "full", "shared")) != "shared" {
		own := b.Scope("indexer").Detach(hyIndexer(b.Scope("indexer"), x, latent, dim, rank))
		*seen = &own
	} else if *seen == nil {
		config.Fail(config.CodeContradiction, b.At("indexer_types"),
			"layer %d shares the positions of a layer before it, but none before it chooses any", i)
	}
	y := b.Core(q, k, v, heads, heads, true, **seen)
	b.Set(y, "sinks", build.Flag("", true).Value)
	b.Tensor("sinks", heads)
	return b.Linear(b.Add("multiply", "", nil, y, gate), "o_proj", heads*value, dim, bias)
}

// hyIndexer scores every pair of positions with small heads, and hides all but the best from attention.
func hyIndexer(b *Build, x, latent Node, dim, rank int64) Node {
	heads, size, n := b.Size("index_n_heads"), b.Size("index_head_dim"), b.Length(b.MaxPositions())
	q := b.Linear(latent, "wq_b", rank, heads*size, false)
	k := b.LayerNorm(b.Linear(x, "wk", dim, size, false), "k_norm", size, true)
	w := b.Linear(x, "weights_proj", dim, heads, false)
	return b.Add("customModule", "", Args{build.Ints("outShape", 1, n, n), build.Int("numParams", 0),
		build.Int("flops", 2*n*n*heads*(size+1))}, q, k, w)
}
