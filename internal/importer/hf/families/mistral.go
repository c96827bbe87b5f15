package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var (
	_ = family.Define(family.Family{Type: "mistral", Default: "MistralForCausalLM",
		Classes: stack.HeadedClasses("Mistral", stack.Layered(mistral), stack.SequenceClassification,
			stack.TokenClassification, stack.QuestionAnswering)})
	_ = family.Define(family.Family{Type: "ministral3", Default: "Ministral3ForCausalLM",
		Classes: stack.HeadedClasses("Ministral3", stack.Layered(ministral3), stack.SequenceClassification,
			stack.TokenClassification, stack.QuestionAnswering)})
	_ = family.Define(family.Family{Type: "ministral", Default: "MinistralForCausalLM",
		Classes: stack.HeadedClasses("Ministral", stack.Layered(ministral), stack.SequenceClassification,
			stack.TokenClassification, stack.OldQuestionAnswering)})
)

// mistral is llama without biases, every layer of which sees a window.
func mistral(b *Build, x Node, _ int64) Node {
	return windowed(b, x, nn.Rotary(b, 0).Within(b.Or("sliding_window", 0)))
}

// ministral3 differs in the base of its angles alone.
func ministral3(b *Build, x Node, _ int64) Node {
	return windowed(b, x, nn.Rotary(b, 1e6).Within(b.Or("sliding_window", 0)))
}

// ministral has layers with and without a window.
func ministral(b *Build, x Node, i int64) Node {
	kind := nn.LayerKind(b, "layer_types", i, nn.Either(b.Has("sliding_window"), nn.SlidingAttention, nn.FullAttention))
	a := nn.Rotary(b, 0).Within(nn.WindowOf(b, kind))
	a.HeadDim = b.Size("head_dim") // the class derives none
	return windowed(b, x, a)
}

// windowed is a layer of some attention and a gated network without biases.
func windowed(b *Build, x Node, a nn.Attention) Node {
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
		func(x Node) Node { return nn.DecoderMLP(b, x, false) })
}
