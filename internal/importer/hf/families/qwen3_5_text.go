package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var (
	_ = family.Define(family.Family{Type: "qwen3_5_text", Default: "Qwen3_5ForCausalLM",
		Classes: qwen35Classes("Qwen3_5", qwen35, stack.ScoreHead("Qwen3_5TextForSequenceClassification"))})
	_ = family.Define(family.Family{Type: "qwen3_5_moe_text", Default: "Qwen3_5MoeForCausalLM",
		Classes: qwen35Classes("Qwen3_5Moe", qwen35MoE)})
)

func qwen35Classes(name string, layer func(b *Build, x Node, i int64) Node,
	heads ...stack.Head) map[string]func(*Build) {
	return stack.NamedClasses(name+"ForCausalLM", name+"TextModel", stack.Layered(layer), heads...)
}

// qwen35 is qwen3Next with the projections of the delta rule by themselves and a dense network.
func qwen35(b *Build, x Node, i int64) Node {
	return qwenHybrid(b, x, i, qwen35Delta, func(x Node) Node { return nn.DecoderMLP(b, x, false) })
}

// qwen35MoE has experts in every layer.
func qwen35MoE(b *Build, x Node, i int64) Node {
	return qwenHybrid(b, x, i, qwen35Delta,
		func(x Node) Node { return nn.AddExperts(b, x, "mlp", sharedExpert(b, "num_experts")) })
}

func qwen35Delta(b *Build, x Node, d delta) Node {
	mixed := b.Linear(x, "in_proj_qkv", d.dim, 2*d.key+d.value, false)
	gate := b.Linear(x, "in_proj_z", d.dim, d.value, false)
	return deltaRule(b, d, mixed, gate, b.Linear(x, "in_proj_b", d.dim, d.heads, false),
		b.Linear(x, "in_proj_a", d.dim, d.heads, false))
}
