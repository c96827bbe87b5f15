package hf

var _ = define(Family{Type: "glm4", Default: "Glm4ForCausalLM", Classes: headed("Glm4", layered(func(b *Build, x Node, _ int64) Node {
	return b.sandwich(x, norms{"input_layernorm", "post_self_attn_layernorm", "post_attention_layernorm", "post_mlp_layernorm"}, b.glmAttention, b.glmNetwork)
}), sequences, tokens)})
