package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "smollm3", Default: "SmolLM3ForCausalLM",
	Classes: stack.HeadedClasses("SmolLM3", stack.Layered(smolLM3), stack.SequenceClassification,
		stack.TokenClassification, stack.OldQuestionAnswering)})

// smolLM3 is llama with some layers that have no rotary positions; where windows are used, those have them.
func smolLM3(b *Build, x Node, i int64) Node {
	a := nn.Rotary(b, 2e6).Biased(b.Bool("attention_bias"))
	a.Rotary = rotaryLayer(b, i)
	kind := nn.LayerKind(b, "layer_types", i,
		nn.Either(b.Bool("use_sliding_window") && !a.Rotary, nn.SlidingAttention, nn.FullAttention))
	if b.Bool("use_sliding_window") {
		a = a.Within(nn.WindowOf(b, kind))
	}
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
		func(x Node) Node { return nn.DecoderMLP(b, x, b.Bool("mlp_bias")) })
}

// rotaryLayer says whether a layer has rotary positions: as no_rope_layers lists them, else all but every n-th.
func rotaryLayer(b *Build, i int64) bool {
	listed := b.Bools("no_rope_layers")
	if len(listed) == 0 {
		return (i+1)%b.Size("no_rope_layer_interval") != 0
	}
	if int64(len(listed)) <= i {
		config.Fail(config.CodeContradiction, b.At("no_rope_layers"), "has %d entries but num_hidden_layers is %d",
			len(listed), b.Int("num_hidden_layers"))
	}
	return listed[i]
}
