package hf

var _ = define(Family{Type: "jais2", Default: "Jais2ForCausalLM", Classes: headed("Jais2", jais2)})

// jais2 has layer norms, a plain network of squared ReLU, and biases unless told otherwise.
func jais2(*Build) Decoder {
	return Decoder{FinalNorm: lastLayerNorm, Layer: func(b *Build, x Node, _ int64) Node {
		b.evenHeads()
		return b.plainLayer(x, b.rotary(0).biased(b.Bool("attention_bias")))
	}}
}
