package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var (
	_ = family.Define(family.Family{Type: "olmo2", Default: "Olmo2ForCausalLM",
		Classes: stack.HeadedClasses("Olmo2", stack.Layered(olmo2), stack.SequenceClassification)})
	_ = family.Define(family.Family{Type: "olmo3", Default: "Olmo3ForCausalLM",
		Classes: stack.HeadedClasses("Olmo3", stack.Layered(olmo3), stack.SequenceClassification)})
)

// olmo2 normalises behind attention and network, and all heads of queries and keys at once.
func olmo2(b *Build, x Node, _ int64) Node { return olmoLayer(b, x, nn.Rotary(b, 0)) }

// olmo3 slides in three layers of four.
func olmo3(b *Build, x Node, i int64) Node {
	kind := nn.LayerKind(b, "layer_types", i, nn.Either((i+1)%4 != 0, nn.SlidingAttention, nn.FullAttention))
	a := nn.Rotary(b, 0).Within(nn.WindowOf(b, kind))
	a.Base = nn.BaseOf(b, kind, 500_000)
	return olmoLayer(b, x, a)
}

func olmoLayer(b *Build, x Node, a nn.Attention) Node {
	a = a.Biased(b.Bool("attention_bias"))
	a.Norm = nn.FullRMS
	x = b.Residual(x, b.RMSNorm(nn.Attend(b, x, "self_attn", a), "post_attention_layernorm", a.Dim))
	return b.Residual(x, b.RMSNorm(nn.DecoderMLP(b, x, false), "post_feedforward_layernorm", a.Dim))
}
