package hf

// funnelLayer is attention of queries to keys by what they are, how far apart they are and whether they are of one segment,
// and a feed-forward network.
func (b *Build) funnelLayer(query, keys Node, queries, count, distances int64) Node {
	dim, heads, head := b.Size("d_model"), b.Size("n_head"), b.Size("d_head")
	m, wide := b.Scope("attention"), heads*head
	q, k, v := m.Linear(query, "q_head", dim, wide, false), m.Linear(keys, "k_head", dim, wide, true), m.Linear(keys, "v_head", dim, wide, true)
	with := func(name string) Node {
		p := m.Add("reshape", name, Args{Ints("shape", 1, wide)}, m.Param(query, name, heads, head))
		return m.Add("add", name, nil, q, p)
	}
	var far Node
	if b.Is("attention_type", "factorized") {
		far = m.factorized(with("r_r_bias"), queries, count)
	} else {
		far = m.funnelShifted(with("r_r_bias"), queries, count, distances)
	}
	far = m.Residual(far, m.segmented(with("r_s_bias"), queries, count))
	core := m.Core(with("r_w_bias"), k, v, heads, heads, false, far)
	m.way(core, "recast")
	y := m.Linear(core, "post_proj", wide, dim, true)
	x := m.LayerNorm(m.Residual(query, m.drop(y, "hidden_dropout")), "layer_norm", dim, true)
	f := b.Scope("ffn")
	y = f.drop(f.Activation(f.Linear(x, "linear_1", dim, b.Size("d_inner"), true), "hidden_act"), "activation_dropout")
	y = f.drop(f.Linear(y, "linear_2", b.Size("d_inner"), dim, true), "hidden_dropout")
	return f.LayerNorm(f.Residual(x, y), "layer_norm", dim, true)
}

// relativeKernel maps vectors of distances to the heads, as (d_model, heads*features).
func (b *Build) relativeKernel(x Node) Node {
	dim, heads, head := b.Size("d_model"), b.Size("n_head"), b.Size("d_head")
	return b.Add("reshape", "r_kernel", Args{Ints("shape", dim, heads*head)}, b.Param(x, "r_kernel", dim, heads, head))
}

// funnelConstant is a tensor that is computed and not trained.
func (b *Build) funnelConstant(x Node, name string, shape ...int64) Node {
	return b.Add("parameter", name, Args{Ints("shape", shape...), Flag("trainable", false)}, x)
}

// picked takes for each pair of positions one of the scores of a query.
func (b *Build) picked(scores Node, name string, queries, count int64) Node {
	return b.moved(scores, name, b.Size("n_head"), queries, count)
}

// funnelShifted are scores by distance: a product with the vector of each distance, of which each pair of positions takes its own.
func (b *Build) funnelShifted(q Node, queries, count, distances int64) Node {
	heads, head := b.Size("n_head"), b.Size("d_head")
	r := b.times(b.funnelConstant(q, "position_embeds", distances, b.Size("d_model")/2*2), b.relativeKernel(q), false)
	scores := b.times(b.inHeads(q, heads, head), b.inHeads(r, heads, head), true)
	return b.picked(scores, "relative_shift", queries, count)
}

// factorized are scores by distance without a vector for each of them: products of sines and cosines of both positions.
func (b *Build) factorized(q Node, queries, count int64) Node {
	dim, heads, head := b.Size("d_model"), b.Size("n_head"), b.Size("d_head")
	kernel := b.Add("permute", "", Args{Ints("dims", 0, 2, 1, 3)}, b.Unflatten(b.relativeKernel(q), heads, head))
	scores := b.times(b.inHeads(q, heads, head), kernel, true)
	part := func(ofQuery, ofKey string) Node {
		x := b.Add("multiply", "", nil, scores, b.funnelConstant(q, ofQuery, 1, queries, dim))
		return b.times(x, b.funnelConstant(q, ofKey, 1, count, dim), true)
	}
	return b.Residual(part("phi", "psi"), part("pi", "omega"))
}

// segmented are scores by whether two positions are of one segment.
func (b *Build) segmented(q Node, queries, count int64) Node {
	heads, head := b.Size("n_head"), b.Size("d_head")
	segments := b.Add("permute", "seg_embed", Args{Ints("dims", 0, 2, 1, 3)}, b.Param(q, "seg_embed", 2, heads, head))
	return b.picked(b.times(b.inHeads(q, heads, head), segments, true), "token_type_attn", queries, count)
}
