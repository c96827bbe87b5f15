package hf

import "slices"

var (
	_ = define(Family{Type: "qwen2_moe", Default: "Qwen2MoeForCausalLM", Classes: headed("Qwen2Moe", layered(qwen2MoE), sequences, tokens, answers)})
	_ = define(Family{Type: "qwen3_moe", Default: "Qwen3MoeForCausalLM", Classes: headed("Qwen3Moe", layered(qwen3MoE), sequences, tokens, oldAnswers)})
)

// qwen2MoE has a shared expert that a gate scales.
func qwen2MoE(b *Build, x Node, i int64) Node {
	used := b.Bool("use_sliding_window")
	kind := b.kind("layer_types", i, either(used && i%2 == 0 && i < b.Int("max_window_layers"), sliding, full))
	a := b.rotary(0)
	a.Bias = b.Bool("qkv_bias")
	if used {
		a = a.within(b.windowOf(kind))
	}
	return b.qwenExperts(x, i, a, "num_experts", func() Experts {
		e := b.routed("num_experts", "moe_intermediate_size")
		e.Shared, e.SharedName, e.SharedGate = b.Size("shared_expert_intermediate_size"), "shared_expert", "shared_expert_gate"
		return e
	})
}

// qwen3MoE has none, and it normalises each head of queries and keys.
func qwen3MoE(b *Build, x Node, i int64) Node {
	a := b.rotary(0).biased(b.Bool("attention_bias"))
	a.Norm = HeadRMS
	if b.Bool("use_sliding_window") {
		a = a.within(b.Or("sliding_window", 0))
	}
	count := b.localExperts()
	return b.qwenExperts(x, i, a, count, func() Experts { return b.routed(count, "moe_intermediate_size") })
}

// qwenExperts is a layer with experts, unless there are none, mlp_only_layers names it or decoder_sparse_step skips it.
func (b *Build) qwenExperts(x Node, i int64, a Attention, count string, experts func() Experts) Node {
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return b.Attend(x, "self_attn", a) },
		func(x Node) Node { return b.qwenFeed(x, i, count, experts) })
}

func (b *Build) qwenFeed(x Node, i int64, count string, experts func() Experts) Node {
	if slices.Contains(b.Ints("mlp_only_layers"), i) || b.Int(count) <= 0 || (i+1)%b.Size("decoder_sparse_step") != 0 {
		return b.mlp(x, false)
	}
	return b.Experts(x, "mlp", experts())
}
