package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/transformers"
)

// funnelLayer is attention of queries to keys by what they are, how far apart they are and whether they are of one
// segment, and a feed-forward network.
func funnelLayer(b *Build, query, keys Node, queries, count, distances int64) Node {
	dim, heads, head := b.Size("d_model"), b.Size("n_head"), b.Size("d_head")
	m, wide := b.Scope("attention"), heads*head
	q, k, v := m.Linear(query, "q_head", dim, wide, false), m.Linear(keys, "k_head", dim, wide, true),
		m.Linear(keys, "v_head", dim, wide, true)
	with := func(name string) Node {
		p := m.Add("reshape", name, Args{build.Ints("shape", 1, wide)}, m.Param(query, name, heads, head))
		return m.Add("add", name, nil, q, p)
	}
	var far Node
	if b.Is("attention_type", "factorized") {
		far = factorized(m, with("r_r_bias"), queries, count)
	} else {
		far = funnelShifted(m, with("r_r_bias"), queries, count, distances)
	}
	far = m.Residual(far, segmented(m, with("r_s_bias"), queries, count))
	core := m.Core(with("r_w_bias"), k, v, heads, heads, false, far)
	build.Written(m, core, func(a *transformers.Attention) { a.Recast = true })
	y := m.Linear(core, "post_proj", wide, dim, true)
	x := m.LayerNorm(m.Residual(query, m.Drop(y, "hidden_dropout")), "layer_norm", dim, true)
	f := b.Scope("ffn")
	y = f.Drop(f.Activation(f.Linear(x, "linear_1", dim, b.Size("d_inner"), true), "hidden_act"), "activation_dropout")
	y = f.Drop(f.Linear(y, "linear_2", b.Size("d_inner"), dim, true), "hidden_dropout")
	return f.LayerNorm(f.Residual(x, y), "layer_norm", dim, true)
}

// relativeKernel projects vectors of distances to the heads, as (d_model, heads*features).
func relativeKernel(b *Build, x Node) Node {
	dim, heads, head := b.Size("d_model"), b.Size("n_head"), b.Size("d_head")
	return b.Add("reshape", "r_kernel", Args{build.Ints("shape", dim, heads*head)},
		b.Param(x, "r_kernel", dim, heads, head))
}

// funnelConstant is a tensor that is computed and not trained.
func funnelConstant(b *Build, x Node, name string, shape ...int64) Node {
	return b.Constant(x, name, shape...)
}

// picked takes for each pair of positions one of the scores of a query.
func picked(b *Build, scores Node, name string, queries, count int64) Node {
	return nn.Moved(b, scores, name, b.Size("n_head"), queries, count)
}

// funnelShifted are scores by distance: a product with the vector of each distance, of which each pair of positions
// takes its own.
func funnelShifted(b *Build, q Node, queries, count, distances int64) Node {
	heads, head := b.Size("n_head"), b.Size("d_head")
	r := nn.Times(b, funnelConstant(b, q, "position_embeds", distances, b.Size("d_model")/2*2), relativeKernel(b, q),
		false)
	scores := nn.Times(b, nn.InHeads(b, q, heads, head), nn.InHeads(b, r, heads, head), true)
	return picked(b, scores, "relative_shift", queries, count)
}

// factorized are scores by distance without a vector for each of them: products of sines and cosines of both positions.
func factorized(b *Build, q Node, queries, count int64) Node {
	dim, heads, head := b.Size("d_model"), b.Size("n_head"), b.Size("d_head")
	kernel := b.Add("permute", "", Args{build.Ints("dims", 0, 2, 1, 3)}, b.Unflatten(relativeKernel(b, q), heads, head))
	scores := nn.Times(b, nn.InHeads(b, q, heads, head), kernel, true)
	part := func(ofQuery, ofKey string) Node {
		x := b.Add("multiply", "", nil, scores, funnelConstant(b, q, ofQuery, 1, queries, dim))
		return nn.Times(b, x, funnelConstant(b, q, ofKey, 1, count, dim), true)
	}
	return b.Residual(part("phi", "psi"), part("pi", "omega"))
}

// segmented are scores by whether two positions are of one segment.
func segmented(b *Build, q Node, queries, count int64) Node {
	heads, head := b.Size("n_head"), b.Size("d_head")
	segments := b.Add("permute", "seg_embed", Args{build.Ints("dims", 0, 2, 1, 3)},
		b.Param(q, "seg_embed", 2, heads, head))
	return picked(b, nn.Times(b, nn.InHeads(b, q, heads, head), segments, true), "token_type_attn", queries, count)
}
