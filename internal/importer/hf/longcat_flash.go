package hf

var _ = define(Family{Type: "longcat_flash", Default: "LongcatFlashForCausalLM", Classes: headed("LongcatFlash", func(b *Build) Decoder {
	return Decoder{Dim: b.Size("hidden_size"), Count: b.Size("num_layers"), Layer: longcatLayer}
})})

// longcatLayer has two attentions and two networks in turn, and experts beside all that follows the first attention.
func longcatLayer(b *Build, x Node, _ int64) Node {
	l, dim := b.latent(), b.Size("hidden_size")
	l.query = b.SizeOr("qk_head_dim", l.query)
	var experts Node
	for i := range 2 {
		h := b.Scope("input_layernorm").RMSNorm(x, []string{"0", "1"}[i], dim)
		x = b.Residual(x, b.Scope("self_attn").attendLatent(h, []string{"0", "1"}[i], l))
		h = b.Scope("post_attention_layernorm").RMSNorm(x, []string{"0", "1"}[i], dim)
		if i == 0 {
			experts = b.longcatExperts(h, dim)
		}
		g := Gated{Dim: dim, Hidden: b.Size("ffn_hidden_size"), Act: b.Str("hidden_act")}
		x = b.Residual(x, b.Scope("mlps").Gated(h, []string{"0", "1"}[i], g))
	}
	return b.Residual(x, experts)
}

// longcatExperts can send a token to experts that do nothing, too: the router and the first matrix have places for them, the
// second has not. FLOPs are those of a token that visits none of these.
func (b *Build) longcatExperts(x Node, dim int64) Node {
	routed, all := b.Size("n_routed_experts"), b.Size("n_routed_experts")+b.Or("zero_expert_num", 0)
	hidden, length := b.Size("expert_ffn_hidden_size"), b.positions()
	tensors := []Tensor{T("experts.gate_up_proj", all, 2*hidden, dim), T("experts.down_proj", routed, dim, hidden), T("router.classifier.weight", all, dim)}
	if b.Bool("router_bias") {
		tensors = append(tensors, T("router.classifier.bias", all))
	}
	n := b.Opaque(x, "mlp", []int64{length, dim}, length, tensors...)
	b.Set(n, "flops", Int("", b.product(2, length, dim, all+b.product(3, hidden, min(b.Size("moe_topk"), routed)))).Value)
	return n
}
