package hf

// indexMask adds DeepSeek's indexer: small heads of their own score every earlier position, and only the index_topk best are
// seen. It gives what is added to the scores of the attention, the same for all heads. The latent is that of the queries.
func (b *Build) indexMask(x, latent Node, l latent) Node {
	first := len(b.state.graph.Components)
	m, heads, dim, length := b.Scope("indexer"), b.Size("index_n_heads"), b.Size("index_head_dim"), b.positions()
	q := m.turnHead(m.Linear(latent, "wq_b", l.q, heads*dim, false), heads, dim, l)
	k := m.LayerNorm(m.Linear(x, "wk", l.dim, dim, false), "k_norm", dim, true)
	k = m.turnHead(k, 1, dim, l)
	weights := m.Linear(x, "weights_proj", l.dim, heads, false)
	scores := m.Add("einsum", "", Args{Text("equation", "bshd,btd->bsht")}, m.Unflatten(q, heads, dim), k)
	m.way(scores, "spread")
	scores = m.Add("einsum", "", Args{Text("equation", "bsh,bsht->bst")}, weights, m.Add("relu", "", nil, scores))
	mask := m.Opaque(scores, "", []int64{1, length, length}, 0) // chooses the best, and hides the others
	b.detach(first)
	return mask
}

// turnHead turns the first features of each head by the position.
func (b *Build) turnHead(x Node, heads, dim int64, l latent) Node {
	if l.rope >= dim {
		return b.Rotate(x, l.rope, l.base) // beyond the head the model cannot run, which the component says
	}
	x = b.Unflatten(x, heads, dim)
	turned := b.Rotate(b.Flat(b.Slice(x, 0, l.rope)), l.rope, l.base)
	return b.Flat(b.beside(b.Unflatten(turned, heads, l.rope), b.Slice(x, l.rope, dim)))
}

// attendIndexed is latent attention to what an indexer has chosen. Where mask is not nil it is used, or set by the first
// layer that has an indexer.
func (b *Build) attendIndexed(x Node, own bool, mask *Node) Node {
	l, m := b.latent(), b.Scope("self_attn")
	if l.q == 0 {
		b.missing("q_lora_rank")
	}
	latent := m.queryLatent(x, l)
	q := m.latentQueries(latent, l)
	k, v := m.latentKeys(x, l)
	if own {
		*mask = m.indexMask(x, latent, l)
	}
	y := m.Core(q, k, v, l.heads, l.heads, true, *mask)
	return m.Linear(y, "o_proj", l.heads*l.value, l.dim, l.bias)
}
