package hf

var _ = define(Family{Type: "aria_text", Default: "AriaTextForCausalLM", Classes: headed("AriaText", ariaText)})

// ariaText is Llama with experts in every layer; their matrices are stored with the input's axis first.
func ariaText(b *Build) Decoder {
	b.divides("hidden_size", "num_attention_heads")
	return layered(func(b *Build, x Node, _ int64) Node {
		return b.PreNorm(x, b.Size("hidden_size"),
			func(x Node) Node { return b.Attend(x, "self_attn", b.rotaryAttention(0)) },
			func(x Node) Node {
				g := b.network(b.Bool("mlp_bias"))
				e := Experts{Dim: g.Dim, Count: b.Size("moe_num_experts"), TopK: b.Size("moe_topk"), Hidden: g.Hidden, Router: "router", How: "looped", List: ariaExperts}
				g.Hidden *= b.Int("moe_num_shared_experts")
				return b.mixture(x, e, g)
			})
	})(b)
}

func ariaExperts(m *Build, e Experts) {
	m.Tensor("experts.fc1.weight", e.Count, e.Dim, 2*e.Hidden)
	m.Tensor("experts.fc2.weight", e.Count, e.Hidden, e.Dim)
}
