package hf

var _ = define(Family{Type: "olmo", Default: "OlmoForCausalLM", Classes: headed("Olmo", olmo, sequences)})

// olmo is llama with layer norms that have no weights.
func olmo(*Build) Decoder {
	return Decoder{FinalNorm: olmoNorm, Layer: func(b *Build, x Node, _ int64) Node {
		a := b.rotary(0).biased(b.Bool("attention_bias"))
		return b.preNormed(x, func(x Node, name string) Node { return olmoNorm(b, x, name, a.Dim) },
			func(x Node) Node { return b.Attend(x, "self_attn", a) },
			func(x Node) Node { return b.mlp(x, false) })
	}}
}

// olmoNorm takes a 32-bit copy of what arrives, and casts back what it gives.
func olmoNorm(b *Build, x Node, name string, dim int64) Node {
	n := b.PlainNorm(x, name, dim)
	b.way(n, "wide")
	return n
}
