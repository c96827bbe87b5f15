package hf

var (
	_ = define(Family{Type: "qwen2", Default: "Qwen2ForCausalLM", Classes: headed("Qwen2", layered(qwen2), sequences, tokens, oldAnswers)})
	_ = define(Family{Type: "qwen3", Default: "Qwen3ForCausalLM", Classes: headed("Qwen3", layered(qwen3), sequences, tokens, oldAnswers)})
)

// qwen2 is llama with a bias on queries, keys and values.
func qwen2(b *Build, x Node, i int64) Node {
	a := b.rotary(0).within(b.qwenWindow(i))
	a.Bias = true
	return b.windowed(x, a)
}

// qwen3 normalises each head of queries and keys, and a key decides on the biases.
func qwen3(b *Build, x Node, i int64) Node {
	a := b.rotary(0).within(b.qwenWindow(i)).biased(b.Bool("attention_bias"))
	a.Norm = HeadRMS
	return b.windowed(x, a)
}

// qwenWindow is the window of a layer: where one is used, the layers from max_window_layers on have it.
func (b *Build) qwenWindow(i int64) int64 {
	used := b.Bool("use_sliding_window") && b.Has("sliding_window")
	kind := b.kind("layer_types", i, either(used && i >= b.Or("max_window_layers", 0), sliding, full))
	if !used {
		return 0
	}
	return b.windowOf(kind)
}
