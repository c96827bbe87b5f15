package hf

var _ = define(Family{Type: "esmc", Default: "EsmcForMaskedLM", Classes: Encoder{Prefix: "esmc", Model: esmc, Words: func(b *Build, x, table Node) Node {
	p, dim := b.Scope("lm_head"), b.Size("hidden_size")
	x = p.LayerNorm(p.Act(p.Linear(x, "dense", dim, dim, true), "gelu", "hidden_act"), "layer_norm", dim, true)
	return p.LMHead(x, "decoder", dim, b.Size("vocab_size"), true, table, false)
}}.classes("Esmc", masked)})

// esmc reads proteins: layer norms, rotary positions, and queries and keys that are normalised as a whole, without bias.
func esmc(b *Build) (x, table Node) {
	b.evenHeads()
	dim, heads := b.Size("hidden_size"), b.Size("num_attention_heads")
	if kv := b.KVHeads(); kv != heads {
		fail(CodeContradiction, b.at("num_key_value_heads"), "is %d but num_attention_heads is %d: heads share no keys here", kv, heads)
	}
	table = b.Embedding(b.Tokens("input_ids", b.MaxPositions()), "embed_tokens", b.Size("vocab_size"), dim)
	x = table
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("layers.%d", i)
		x = l.layerNormed(x, func(x Node) Node { return l.Scope("self_attn").esmcAttend(x) }, func(x Node) Node { return l.mlp(x, b.Bool("mlp_bias")) })
	}
	return b.LayerNorm(x, "norm", dim, false), table
}

// esmcAttend norms the width of the model: with a head_dim of another size it does not run.
func (b *Build) esmcAttend(x Node) Node {
	a := b.rotary(10_000).biased(b.Bool("attention_bias")).filled()
	q, k, v := b.project(x, a)
	q, k = b.LayerNorm(q, "q_norm", a.Dim, false), b.LayerNorm(k, "k_norm", a.Dim, false)
	q, k = b.Rotate(q, a.HeadDim, a.Base), b.Rotate(k, a.HeadDim, a.Base)
	return b.Linear(b.Core(q, k, v, a.Heads, a.KV, false), a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}
