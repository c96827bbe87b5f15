package hf

var (
	_ = define(Family{Type: "qwen3_5_text", Default: "Qwen3_5ForCausalLM", Classes: qwen35Classes("Qwen3_5", qwen35, scored("Qwen3_5TextForSequenceClassification"))})
	_ = define(Family{Type: "qwen3_5_moe_text", Default: "Qwen3_5MoeForCausalLM", Classes: qwen35Classes("Qwen3_5Moe", qwen35MoE)})
)

func qwen35Classes(name string, layer func(b *Build, x Node, i int64) Node, heads ...head) map[string]func(*Build) {
	return topped(name+"ForCausalLM", name+"TextModel", layered(layer), heads...)
}

// qwen35 is qwen3Next with the maps of the delta rule by themselves and a dense network.
func qwen35(b *Build, x Node, i int64) Node {
	return b.qwenHybrid(x, i, (*Build).qwen35Delta, func(x Node) Node { return b.mlp(x, false) })
}

// qwen35MoE has experts in every layer.
func qwen35MoE(b *Build, x Node, i int64) Node {
	return b.qwenHybrid(x, i, (*Build).qwen35Delta, func(x Node) Node { return b.Experts(x, "mlp", b.sharedExpert("num_experts")) })
}

func (b *Build) qwen35Delta(x Node, d delta) Node {
	mixed := b.Linear(x, "in_proj_qkv", d.dim, 2*d.key+d.value, false)
	gate := b.Linear(x, "in_proj_z", d.dim, d.value, false)
	return b.deltaRule(d, mixed, gate, b.Linear(x, "in_proj_b", d.dim, d.heads, false), b.Linear(x, "in_proj_a", d.dim, d.heads, false))
}
