package hf

var _ = define(Family{Type: "hyperclovax", Default: "HyperCLOVAXForCausalLM", Classes: headed("HyperCLOVAX", layered(hyperCLOVAX))})

// hyperCLOVAX is granite with norms behind attention and network, too.
func hyperCLOVAX(b *Build, x Node, _ int64) Node {
	b.evenHeads()
	a := b.rotary(0).biased(b.Bool("attention_bias"))
	post := func(x Node, name string) Node {
		if !b.Bool("use_post_norm") {
			return x
		}
		return b.RMSNorm(x, name, a.Dim)
	}
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return post(b.Attend(x, "self_attn", a), "post_norm1") },
		func(x Node) Node { return post(b.mlp(x, b.Bool("mlp_bias")), "post_norm2") })
}
