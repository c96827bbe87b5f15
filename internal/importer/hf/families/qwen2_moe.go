package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var (
	_ = family.Define(family.Family{Type: "qwen2_moe", Default: "Qwen2MoeForCausalLM",
		Classes: stack.HeadedClasses("Qwen2Moe", stack.Layered(qwen2MoE), stack.SequenceClassification,
			stack.TokenClassification, stack.QuestionAnswering)})
	_ = family.Define(family.Family{Type: "qwen3_moe", Default: "Qwen3MoeForCausalLM",
		Classes: stack.HeadedClasses("Qwen3Moe", stack.Layered(qwen3MoE), stack.SequenceClassification,
			stack.TokenClassification, stack.OldQuestionAnswering)})
)

// qwen2MoE has a shared expert that a gate scales.
func qwen2MoE(b *Build, x Node, i int64) Node {
	used := b.Bool("use_sliding_window")
	kind := nn.LayerKind(b, "layer_types", i,
		nn.Either(used && i%2 == 0 && i < b.Int("max_window_layers"), nn.SlidingAttention, nn.FullAttention))
	a := nn.Rotary(b, 0)
	a.Bias = b.Bool("qkv_bias")
	if used {
		a = a.Within(nn.WindowOf(b, kind))
	}
	return qwenExperts(b, x, i, a, "num_experts", func() nn.Experts {
		e := nn.Routed(b, "num_experts", "moe_intermediate_size")
		e.Shared, e.SharedName, e.SharedGate = b.Size("shared_expert_intermediate_size"), "shared_expert",
			"shared_expert_gate"
		return e
	})
}

// qwen3MoE has none, and it normalises each head of queries and keys.
func qwen3MoE(b *Build, x Node, i int64) Node {
	a := nn.Rotary(b, 0).Biased(b.Bool("attention_bias"))
	a.Norm = nn.HeadRMS
	if b.Bool("use_sliding_window") {
		a = a.Within(b.Or("sliding_window", 0))
	}
	count := nn.LocalExperts(b)
	return qwenExperts(b, x, i, a, count, func() nn.Experts { return nn.Routed(b, count, "moe_intermediate_size") })
}

// qwenExperts is a layer with experts, unless there are none, mlp_only_layers names it or decoder_sparse_step skips it.
func qwenExperts(b *Build, x Node, i int64, a nn.Attention, count string, experts func() nn.Experts) Node {
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
		func(x Node) Node { return qwenFeed(b, x, i, count, experts) })
}

func qwenFeed(b *Build, x Node, i int64, count string, experts func() nn.Experts) Node {
	if b.HasInt("mlp_only_layers", i) || b.Int(count) <= 0 || (i+1)%b.Size("decoder_sparse_step") != 0 {
		return nn.DecoderMLP(b, x, false)
	}
	return nn.AddExperts(b, x, "mlp", experts())
}
