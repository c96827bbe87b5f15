package hf

var _ = define(Family{Type: "minimax_m2", Default: "MiniMaxM2ForCausalLM", Classes: headed("MiniMaxM2", layered(miniMaxM2))})

// miniMaxM2 is mixtral with norms of all heads of queries and keys at once.
func miniMaxM2(b *Build, x Node, _ int64) Node {
	a := b.partly(b.rotary(5e6), "", 1, false)
	a.Norm = FullRMS
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return b.Attend(x, "self_attn", a) },
		func(x Node) Node { return b.Experts(x, "mlp", b.routed("num_local_experts", "intermediate_size")) })
}
