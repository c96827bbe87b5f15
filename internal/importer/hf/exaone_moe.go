package hf

var _ = define(Family{Type: "exaone_moe", Default: "ExaoneMoeForCausalLM", Classes: headed("ExaoneMoe", layered(func(b *Build, x Node, i int64) Node {
	return b.PreNorm(x, b.Size("hidden_size"),
		func(x Node) Node { return b.exaoneAttention(x, i) },
		func(x Node) Node {
			if !b.sparse(i, b.Int("first_k_dense_replace")) {
				return b.mlp(x, false)
			}
			return b.expertsAndShared(x, Experts{})
		})
}))})

// expertsAndShared are num_experts experts and a network as wide as num_shared_experts of them.
func (b *Build) expertsAndShared(x Node, e Experts) Node {
	g := b.network(false)
	e.Dim, e.Count, e.TopK, e.Hidden = g.Dim, b.Size("num_experts"), b.Size("num_experts_per_tok"), b.Size("moe_intermediate_size")
	g.Hidden = e.Hidden * b.Int("num_shared_experts")
	return b.mixture(x, e, g)
}
