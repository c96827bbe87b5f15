package hf

var (
	_ = define(Family{Type: "mistral", Default: "MistralForCausalLM", Classes: headed("Mistral", layered(mistral), sequences, tokens, answers)})
	_ = define(Family{Type: "ministral3", Default: "Ministral3ForCausalLM", Classes: headed("Ministral3", layered(ministral3), sequences, tokens, answers)})
	_ = define(Family{Type: "ministral", Default: "MinistralForCausalLM", Classes: headed("Ministral", layered(ministral), sequences, tokens, oldAnswers)})
)

// mistral is llama without biases, every layer of which sees a window.
func mistral(b *Build, x Node, _ int64) Node {
	return b.windowed(x, b.rotary(0).within(b.Or("sliding_window", 0)))
}

// ministral3 differs in the base of its angles alone.
func ministral3(b *Build, x Node, _ int64) Node {
	return b.windowed(x, b.rotary(1e6).within(b.Or("sliding_window", 0)))
}

// ministral has layers with and without a window.
func ministral(b *Build, x Node, i int64) Node {
	kind := b.kind("layer_types", i, either(b.Has("sliding_window"), sliding, full))
	a := b.rotary(0).within(b.windowOf(kind))
	a.HeadDim = b.Size("head_dim") // the class derives none
	return b.windowed(x, a)
}

// windowed is a layer of some attention and a gated network without biases.
func (b *Build) windowed(x Node, a Attention) Node {
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return b.Attend(x, "self_attn", a) },
		func(x Node) Node { return b.mlp(x, false) })
}
