package hf

var _ = define(Family{Type: "nanochat", Default: "NanoChatForCausalLM", Classes: headed("NanoChat", nanoChat)})

// nanoChat has norms without weights, one of them right behind the embedding.
func nanoChat(*Build) Decoder {
	return Decoder{
		FinalNorm: plainRMS,
		Embedded:  func(b *Build, x Node) Node { return plainRMS(b, x, "norm", b.Size("hidden_size")) },
		Layer: func(b *Build, x Node, _ int64) Node {
			a := b.rotary(0).biased(b.Bool("attention_bias"))
			a.Norm = PlainRMS
			return b.preNormed(x, func(x Node, name string) Node { return plainRMS(b, x, name, a.Dim) },
				func(x Node) Node { return b.Attend(x, "self_attn", a) },
				func(x Node) Node {
					return b.Scope("mlp").MLP(x, "fc1", "fc2", a.Dim, b.Size("intermediate_size"), false, "hidden_act")
				})
		}}
}

// plainRMS divides by the root mean square and has no weights.
func plainRMS(b *Build, x Node, name string, dim int64) Node {
	return b.Add("rmsNorm", name, Args{Ints("normalizedShape", dim), Flag("elementwiseAffine", false)}, x)
}
