package hf

var _ = define(Family{Type: "minimax_m3_vl_text", Default: "MiniMaxM3VLForCausalLM", Classes: map[string]func(*Build){
	"MiniMaxM3VLForCausalLM": func(b *Build) { b.languageModel(Decoder{Layer: miniMaxM3}) },
	"MiniMaxM3VLTextModel":   func(b *Build) { b.bareModel(Decoder{Layer: miniMaxM3}) },
}})

// miniMaxM3 has experts beside a shared one, and layers in which an indexer chooses the blocks that a position sees.
func miniMaxM3(b *Build, x Node, i int64) Node {
	a := b.partly(b.rotary(5e6), "", 1, false)
	a.Norm = HeadRMS
	old := &Config{path: b.at("sparse_attention_config")}
	old.values, _ = b.value("sparse_attention_config").(map[string]any)
	return b.PreNorm(x, a.Dim,
		func(x Node) Node {
			if b.listed("layer_types", old, "sparse_attention_freq", i, full, "minimax_m3_sparse") {
				return b.Scope("self_attn").blockSparse(x, a.filled(), old)
			}
			return b.Attend(x, "self_attn", a)
		},
		func(x Node) Node {
			if !b.listed("mlp_layer_types", b.Config, "moe_layer_freq", i, sparse, sparse) {
				return b.fusedMLP(x, "mlp", b.Size("dense_intermediate_size"))
			}
			shared := b.fusedMLP(x, "mlp.shared_experts", b.Size("shared_intermediate_size")) // runs first
			return b.Residual(b.Experts(x, "mlp", b.routed("num_local_experts", "intermediate_size")), shared)
		})
}

// listed says whether a layer is of a kind: as a list of kinds has it, else as an older list of flags, else as the class would.
func (b *Build) listed(key string, old *Config, flags string, i int64, otherwise, kind string) bool {
	if !b.Has(key) && old.Has(flags) {
		all := old.Bools(flags)
		if int64(len(all)) <= i {
			fail(CodeContradiction, old.at(flags), "has %d entries but num_hidden_layers is %d", len(all), b.Int("num_hidden_layers"))
		}
		return all[i]
	}
	return b.kind(key, i, otherwise) == kind
}

// fusedMLP bounds both halves of its first map, and writes its gate as single operations.
func (b *Build) fusedMLP(x Node, name string, wide int64) Node {
	n := b.Gated(x, name, Gated{Dim: b.Size("hidden_size"), Hidden: wide, Act: "silu", Fused: "gate_up_proj"})
	b.way(n, "steps")
	return n
}

// blockSparse is attention to the blocks whose best key scores highest with the indexer's queries.
func (b *Build) blockSparse(x Node, a Attention, old *Config) Node {
	heads, dim := old.Or("sparse_num_index_heads", b.Size("index_n_heads")), old.Or("sparse_index_dim", b.Size("index_head_dim"))
	m, n := b.Scope("indexer"), b.Length(b.MaxPositions())
	index := func(name string, heads int64, norm string) Node {
		y := m.normHeads(m.Linear(x, name, a.Dim, heads*dim, false), norm, heads, Attention{HeadDim: dim, Norm: HeadRMS})
		return m.Rotate(y, dim, a.Base)
	}
	iq, ik := index("q_proj", heads, "q_norm"), index("k_proj", 1, "k_norm")
	seen := m.Add("customModule", "", Args{Ints("outShape", a.Heads, n, n), Int("numParams", 0), Int("flops", 2*n*heads*dim*n)}, iq, ik)
	q, k, v := b.project(x, a)
	q, k = b.normHeads(q, a.QNorm, a.Heads, a), b.normHeads(k, a.KNorm, a.KV, a)
	q, k = b.turn(q, a.Heads, a), b.turn(k, a.KV, a)
	return b.Linear(b.Core(q, k, v, a.Heads, a.KV, true, seen), a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}
