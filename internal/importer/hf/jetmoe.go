package hf

var _ = define(Family{Type: "jetmoe", Default: "JetMoeForCausalLM", Classes: headed("JetMoe", layered(jetMoE), sequences)})

// jetMoE has experts in the network and, for queries and the last map, in attention.
func jetMoE(b *Build, x Node, _ int64) Node {
	dim, count, top := b.Size("hidden_size"), b.Size("num_local_experts"), b.Size("num_experts_per_tok")
	if top > count {
		fail(CodeContradiction, b.at("num_experts_per_tok"), "is %d but num_local_experts is %d", top, count)
	}
	return b.PreNorm(x, dim,
		func(x Node) Node { return b.Scope("self_attention").jetAttention(x, dim, count, top) },
		func(x Node) Node {
			y := b.Experts(x, "mlp", Experts{Dim: dim, Count: count, TopK: top, Hidden: b.Size("intermediate_size"), Router: "router.layer",
				List: func(m *Build, e Experts) {
					m.Tensor("input_linear.weight", e.Count, 2*e.Hidden, e.Dim)
					m.Tensor("output_linear.weight", e.Count, e.Dim, e.Hidden)
				}})
			b.way(y, "looped")
			return b.Scope("mlp").shift(y, "bias", dim)
		})
}

// jetAttention is attention in which each of the chosen experts has its own queries for the same heads of keys and values. The
// positions are gathered for each expert and go back to their places, and keys and values are repeated for each, so that no kernel is asked to.
func (b *Build) jetAttention(x Node, dim, count, top int64) Node {
	kv, headDim, n := b.Size("num_key_value_heads"), b.Size("kv_channels"), b.Length(b.MaxPositions())
	wide, m, base := kv*headDim, b.Scope("experts"), b.RopeBase()
	q := m.Opaque(m.repeated(x, top), "", []int64{n, top * wide}, n, T("router.layer.weight", count, dim), T("input_linear.weight", count, wide, dim))
	m.Set(q, "flops", Int("", 2*n*dim*(count+top*wide)).Value)
	q = m.Opaque(q, "", []int64{n, top * wide}, n) // the sum over the experts keeps what it adds
	both := b.Linear(x, "kv_proj", dim, 2*wide, false)
	k, v := b.Chunk(both, 2, 0), b.Chunk(both, 2, 1)
	k, v = m.repeated(b.Rotate(k, headDim, base), top), m.repeated(v, top)
	y := b.Core(b.Rotate(q, headDim, base), k, v, kv*top, kv*top, true)
	y = m.Opaque(m.moved(y, "", n, top*wide), "", []int64{n, top * dim}, n, T("output_linear.weight", count, dim, wide))
	m.Set(y, "flops", Int("", 2*n*dim*top*wide).Value)
	y = m.Opaque(m.Opaque(y, "", []int64{n, top * dim}, n), "", []int64{n, dim}, n) // weighted, and summed
	return m.shift(y, "bias", dim)
}

// repeated is what arrives, so many times.
func (b *Build) repeated(x Node, count int64) Node {
	all := make([]Node, count)
	for i := range all {
		all[i] = x
	}
	return b.Add("concatenate", "", Args{Int("dim", -1)}, all...)
}

// shift adds a trained vector to every position.
func (b *Build) shift(x Node, name string, dim int64) Node {
	w := b.Add("parameter", name, Args{Ints("shape", 1, dim)}, x)
	b.Tensor(name, dim)
	return b.Add("add", name, nil, x, w)
}
