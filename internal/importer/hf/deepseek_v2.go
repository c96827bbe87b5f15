package hf

var _ = define(Family{Type: "deepseek_v2", Default: "DeepseekV2ForCausalLM", Classes: headed("DeepseekV2", deepseekV2, sequences)})

// deepseekV2 has latent attention, and experts beside a shared network behind the first layers.
func deepseekV2(b *Build) Decoder {
	b.divides("hidden_size", "num_attention_heads")
	return layered(func(b *Build, x Node, i int64) Node {
		return b.PreNorm(x, b.Size("hidden_size"), b.latentAttention,
			func(x Node) Node {
				return b.deepseekNetwork(x, i >= b.Int("first_k_dense_replace"), b.Bool("mlp_bias"))
			})
	})(b)
}

// deepseekNetwork is a gated network, or experts and as wide a shared network as n_shared_experts of them. Whoever leaves
// num_experts_per_tok null, as the class of DeepSeek-V2 does, has a model that can be built and not run: one is assumed.
func (b *Build) deepseekNetwork(x Node, sparse, bias bool) Node {
	g := b.network(bias)
	if !sparse {
		return b.Gated(x, "mlp", g)
	}
	e := Experts{Dim: g.Dim, Count: b.routedExperts(), TopK: b.SizeOr("num_experts_per_tok", 1), Hidden: b.Size("moe_intermediate_size")}
	g.Hidden = e.Hidden * b.Int("n_shared_experts")
	return b.mixture(x, e, g)
}

// routedExperts is n_routed_experts; the classes that came after DeepSeek-V3.2 let num_experts overrule it.
func (b *Build) routedExperts() int64 {
	if b.Is("model_type", "deepseek_v32") || b.Is("model_type", "glm_moe_dsa") {
		return b.SizeOr("num_experts", b.Size("n_routed_experts"))
	}
	return b.Size("n_routed_experts")
}
