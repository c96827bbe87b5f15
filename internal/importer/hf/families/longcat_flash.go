package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "longcat_flash", Default: "LongcatFlashForCausalLM",
	Classes: stack.HeadedClasses("LongcatFlash", func(b *Build) stack.Decoder {
		return stack.Decoder{Dim: b.Size("hidden_size"), Count: b.Size("num_layers"), Layer: longcatLayer}
	})})

// longcatLayer has two attentions and two networks in turn, and experts beside all that follows the first attention.
func longcatLayer(b *Build, x Node, _ int64) Node {
	l, dim := nn.LatentOf(b), b.Size("hidden_size")
	l.Query = b.SizeOr("qk_head_dim", l.Query)
	var experts Node
	for i := range 2 {
		h := b.Scope("input_layernorm").RMSNorm(x, []string{"0", "1"}[i], dim)
		x = b.Residual(x, nn.AttendLatent(b.Scope("self_attn"), h, []string{"0", "1"}[i], l))
		h = b.Scope("post_attention_layernorm").RMSNorm(x, []string{"0", "1"}[i], dim)
		if i == 0 {
			experts = longcatExperts(b, h, dim)
		}
		g := nn.Gated{Dim: dim, Hidden: b.Size("ffn_hidden_size"), Act: b.Str("hidden_act")}
		x = b.Residual(x, nn.GatedMLP(b.Scope("mlps"), h, []string{"0", "1"}[i], g))
	}
	return b.Residual(x, experts)
}

// longcatExperts can send a token to experts that do nothing, too: the router and the first matrix have places for
// them, the second has not. FLOPs are those of a token that visits none of these.
func longcatExperts(b *Build, x Node, dim int64) Node {
	routed, all := b.Size("n_routed_experts"), b.Size("n_routed_experts")+b.Or("zero_expert_num", 0)
	hidden, length := b.Size("expert_ffn_hidden_size"), b.TextLength()
	tensors := []build.Tensor{build.T("experts.gate_up_proj", all, 2*hidden, dim),
		build.T("experts.down_proj", routed, dim, hidden), build.T("router.classifier.weight", all, dim)}
	if b.Bool("router_bias") {
		tensors = append(tensors, build.T("router.classifier.bias", all))
	}
	n := b.Opaque(x, "mlp", []int64{length, dim}, length, tensors...)
	b.Set(n, "flops", build.Int("", build.Product(b, 2, length, dim,
		all+build.Product(b, 3, hidden, min(b.Size("moe_topk"), routed)))).Value)
	return n
}
