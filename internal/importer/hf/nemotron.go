package hf

var _ = define(Family{Type: "nemotron", Default: "NemotronForCausalLM", Classes: headed("Nemotron", nemotron, sequences, tokens, oldAnswers)})

// nemotron has layer norms and a plain network of squared ReLU. Its norms are of a copy in autocast's width, where that is on, and give that width.
func nemotron(*Build) Decoder {
	return Decoder{
		FinalNorm: func(b *Build, x Node, name string, dim int64) Node {
			x = lastLayerNorm(b, x, name, dim)
			b.way(x, "recast")
			return x
		},
		Layer: func(b *Build, x Node, _ int64) Node {
			a := b.partly(b.rotary(0).biased(b.Bool("attention_bias")), "", 0.5, false)
			a.KV = b.Size("num_key_value_heads") // the class does not derive it
			first := len(b.state.graph.Components)
			x = b.plainLayer(x, a)
			b.ways(first, "layerNorm", "recast")
			return x
		}}
}

// plainLayer is a layer of layer norms, some attention and a network of two maps.
func (b *Build) plainLayer(x Node, a Attention) Node {
	return b.layerNormed(x,
		func(x Node) Node { return b.Attend(x, "self_attn", a) },
		func(x Node) Node {
			return b.Scope("mlp").MLP(x, "up_proj", "down_proj", a.Dim, b.Size("intermediate_size"), b.Bool("mlp_bias"), "hidden_act")
		})
}
