package hf

var _ = define(Family{Type: "phi3", Default: "Phi3ForCausalLM", Classes: headed("Phi3", layered(phi3), sequences, tokens)})

// phi3 is llama with one map for queries, keys and values, and one for gate and up.
func phi3(b *Build, x Node, _ int64) Node {
	a := b.partly(b.rotary(0).within(b.Or("sliding_window", 0)), "", 1, false)
	a.Fused = "qkv_proj"
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return b.Attend(x, "self_attn", a) },
		func(x Node) Node {
			return b.Gated(x, "mlp", Gated{Dim: a.Dim, Hidden: b.Size("intermediate_size"), Act: b.Str("hidden_act"), Fused: "gate_up_proj"})
		})
}
