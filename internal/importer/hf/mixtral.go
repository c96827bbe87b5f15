package hf

var _ = define(Family{Type: "mixtral", Default: "MixtralForCausalLM", Classes: headed("Mixtral", layered(mixtral), sequences, tokens, answers)})

// mixtral is mistral with experts in the place of the network.
func mixtral(b *Build, x Node, _ int64) Node {
	a := b.rotary(1e6).within(b.Or("sliding_window", 0))
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return b.Attend(x, "self_attn", a) },
		func(x Node) Node { return b.Experts(x, "mlp", b.routed("num_local_experts", "intermediate_size")) })
}
