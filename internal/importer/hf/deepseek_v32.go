package hf

var _ = define(Family{Type: "deepseek_v32", Default: "DeepseekV32ForCausalLM", Classes: headed("DeepseekV32", layered(func(b *Build, x Node, i int64) Node {
	return b.PreNorm(x, b.Size("hidden_size"),
		func(x Node) Node { return b.attendIndexed(x, true, new(Node)) },
		func(x Node) Node { return b.deepseekNetwork(x, b.sparse(i, b.Int("first_k_dense_replace")), false) })
}))})
