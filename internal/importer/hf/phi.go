package hf

var _ = define(Family{Type: "phi", Default: "PhiForCausalLM", Classes: headed("Phi", phi, sequences, tokens)})

// phi has one layer norm for attention and network, which stand beside each other, and a bias on every map.
func phi(*Build) Decoder {
	return Decoder{Norm: "final_layernorm", FinalNorm: lastLayerNorm, HeadBias: true, Layer: func(b *Build, x Node, _ int64) Node {
		a := b.partly(b.rotary(0).biased(true), "", 0.5, true)
		a.O = "dense"
		if b.Bool("qk_layernorm") {
			a.Norm, a.QNorm, a.KNorm = HeadLayerNorm, "q_layernorm", "k_layernorm"
		}
		y := b.LayerNorm(x, "input_layernorm", a.Dim, true)
		attended := b.Attend(y, "self_attn", a)
		fed := b.Scope("mlp").MLP(y, "fc1", "fc2", a.Dim, b.Size("intermediate_size"), true, "hidden_act")
		return b.Add("add", "", nil, attended, fed, x)
	}}
}
