package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "minimax_m3_vl_text", Default: "MiniMaxM3VLForCausalLM",
	Classes: map[string]func(*Build){
		"MiniMaxM3VLForCausalLM": func(b *Build) { stack.CausalLM(b, stack.Decoder{Layer: miniMaxM3}) },
		"MiniMaxM3VLTextModel":   func(b *Build) { stack.BareModel(b, stack.Decoder{Layer: miniMaxM3}) },
	}})

// miniMaxM3 has experts beside a shared one, and layers in which an indexer chooses the blocks that a position sees.
func miniMaxM3(b *Build, x Node, i int64) Node {
	a := nn.PartlyRotary(b, nn.Rotary(b, 5e6), "", 1, false)
	a.Norm = nn.HeadRMS
	old := b.Inner("sparse_attention_config")
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node {
			if listed(b, "layer_types", old, "sparse_attention_freq", i, nn.FullAttention, "minimax_m3_sparse") {
				return blockSparse(b.Scope("self_attn"), x, a.Filled(), old)
			}
			return nn.Attend(b, x, "self_attn", a)
		},
		func(x Node) Node {
			if !listed(b, "mlp_layer_types", b.Config, "moe_layer_freq", i, nn.SparseMLP, nn.SparseMLP) {
				return fusedMLP(b, x, "mlp", b.Size("dense_intermediate_size"))
			}
			shared := fusedMLP(b, x, "mlp.shared_experts", b.Size("shared_intermediate_size")) // runs first
			return b.Residual(nn.AddExperts(b, x, "mlp", nn.Routed(b, "num_local_experts", "intermediate_size")),
				shared)
		})
}

// listed says whether a layer is of a kind: as a list of kinds has it, else as an older list of flags, else as the
// class would.
func listed(b *Build, key string, old *Config, flags string, i int64, otherwise, kind string) bool {
	if !b.Has(key) && old.Has(flags) {
		all := old.Bools(flags)
		if int64(len(all)) <= i {
			config.Fail(config.CodeContradiction, old.At(flags), "has %d entries but num_hidden_layers is %d",
				len(all), b.Int("num_hidden_layers"))
		}
		return all[i]
	}
	return nn.LayerKind(b, key, i, otherwise) == kind
}

// fusedMLP bounds both halves of its first projection, and writes its gate as single operations.
func fusedMLP(b *Build, x Node, name string, wide int64) Node {
	n := nn.GatedMLP(b, x, name, nn.Gated{Dim: b.Size("hidden_size"), Hidden: wide, Act: "silu", Fused: "gate_up_proj"})
	build.Written(b, n, func(m *transformers.Gated) { m.Bounded = true })
	return n
}

// blockSparse is attention to the blocks whose best key scores highest with the indexer's queries.
func blockSparse(b *Build, x Node, a nn.Attention, old *Config) Node {
	heads, dim := old.Or("sparse_num_index_heads", b.Size("index_n_heads")),
		old.Or("sparse_index_dim", b.Size("index_head_dim"))
	m, n := b.Scope("indexer"), b.Length(b.MaxPositions())
	index := func(name string, heads int64, norm string) Node {
		y := nn.NormHeads(m, m.Linear(x, name, a.Dim, heads*dim, false), norm, heads,
			nn.Attention{HeadDim: dim, Norm: nn.HeadRMS})
		return nn.Rotate(m, y, dim, a.Base)
	}
	iq, ik := index("q_proj", heads, "q_norm"), index("k_proj", 1, "k_norm")
	seen := m.Add("customModule", "", Args{build.Ints("outShape", a.Heads, n, n), build.Int("numParams", 0),
		build.Int("flops", 2*n*heads*dim*n)}, iq, ik)
	q, k, v := nn.Project(b, x, a)
	q, k = nn.NormHeads(b, q, a.QNorm, a.Heads, a), nn.NormHeads(b, k, a.KNorm, a.KV, a)
	q, k = nn.RotateHeads(b, q, a.Heads, a), nn.RotateHeads(b, k, a.KV, a)
	return b.Linear(b.Core(q, k, v, a.Heads, a.KV, true, seen), a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}
