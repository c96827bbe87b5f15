package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var (
	_ = family.Define(family.Family{Type: "qwen2", Default: "Qwen2ForCausalLM",
		Classes: stack.HeadedClasses("Qwen2", stack.Layered(qwen2), stack.SequenceClassification,
			stack.TokenClassification, stack.OldQuestionAnswering)})
	_ = family.Define(family.Family{Type: "qwen3", Default: "Qwen3ForCausalLM",
		Classes: stack.HeadedClasses("Qwen3", stack.Layered(qwen3), stack.SequenceClassification,
			stack.TokenClassification, stack.OldQuestionAnswering)})
)

// qwen2 is llama with a bias on queries, keys and values.
func qwen2(b *Build, x Node, i int64) Node {
	a := nn.Rotary(b, 0).Within(qwenWindow(b, i))
	a.Bias = true
	return windowed(b, x, a)
}

// qwen3 normalises each head of queries and keys, and a key decides on the biases.
func qwen3(b *Build, x Node, i int64) Node {
	a := nn.Rotary(b, 0).Within(qwenWindow(b, i)).Biased(b.Bool("attention_bias"))
	a.Norm = nn.HeadRMS
	return windowed(b, x, a)
}

// qwenWindow is the window of a layer: where one is used, the layers from max_window_layers on have it.
func qwenWindow(b *Build, i int64) int64 {
	used := b.Bool("use_sliding_window") && b.Has("sliding_window")
	kind := nn.LayerKind(b, "layer_types", i,
		nn.Either(used && i >= b.Or("max_window_layers", 0), nn.SlidingAttention, nn.FullAttention))
	if !used {
		return 0
	}
	return nn.WindowOf(b, kind)
}
