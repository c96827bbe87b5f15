package hf

var _ = define(Family{Type: "persimmon", Default: "PersimmonForCausalLM", Classes: headed("Persimmon", persimmon, sequences, tokens)})

// persimmon has layer norms, one map for queries, keys and values, and a plain network, all with biases.
func persimmon(*Build) Decoder {
	return Decoder{Norm: "final_layernorm", FinalNorm: lastLayerNorm, Layer: func(b *Build, x Node, _ int64) Node {
		b = b.With(b.ignoreNull("head_dim"))
		a := b.rotary(0).biased(true)
		a.HeadDim, a.KV, a.Fused, a.O = b.evenHeads(), a.Heads, "query_key_value", "dense"
		a = b.partly(a, "", 0.5, true)
		if b.Bool("qk_layernorm") {
			a.Norm, a.QNorm, a.KNorm = HeadLayerNorm, "q_layernorm", "k_layernorm"
		}
		return b.layerNormed(x,
			func(x Node) Node { return b.Attend(x, "self_attn", a) },
			func(x Node) Node {
				return b.Scope("mlp").MLP(x, "dense_h_to_4h", "dense_4h_to_h", a.Dim, b.Size("intermediate_size"), true, "hidden_act")
			})
	}}
}
