package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "cohere2_moe", Default: "Cohere2MoeForCausalLM",
	Classes: stack.HeadedClasses("Cohere2Moe", cohere2Moe)})

// cohere2Moe is Cohere 2 with experts behind the first layers.
func cohere2Moe(b *Build) stack.Decoder {
	norm := plainLayerNorm
	if b.Has("rms_norm_eps") {
		norm = func(b *Build, x Node, name string, dim int64) Node { return b.RMSNorm(x, name, dim) }
	}
	return parallel(b, norm, cohere2MoeAttention, func(b *Build, x Node, i int64) Node {
		g := nn.DefaultGated(b, false)
		if !nn.IsSparse(b, i, b.Or("first_k_dense_replace", 0)) {
			g.Hidden = b.SizeOr("prefix_dense_intermediate_size", g.Hidden)
			return nn.GatedMLP(b, x, "mlp", g)
		}
		e := nn.Experts{Dim: g.Dim, Count: b.Size("num_experts"), TopK: b.Size("num_experts_per_tok"), Hidden: g.Hidden}
		if b.Int("num_shared_experts") == 0 {
			return nn.AddExperts(b, x, "mlp", e)
		}
		g.Hidden *= b.Size("num_shared_experts")
		return nn.Mixture(b, x, e, g)
	})
}

// cohere2MoeAttention has positions where it sees a window, and in a dense layer when all of those see everything.
func cohere2MoeAttention(b *Build, x Node, i int64) Node {
	dense, a := b.Or("first_k_dense_replace", 0), nn.RotaryAttention(b, 0)
	n, period := i, b.Size("sliding_window_pattern")
	if i < dense {
		period = b.Size("prefix_dense_sliding_window_pattern")
	} else {
		n -= dense
	}
	kind := nn.PerLayerText(b, "layer_types", i, func(int64) string {
		if (n+1)%period == 0 {
			return "full_attention"
		}
		return "sliding_attention"
	})
	if kind == "sliding_attention" {
		a.Window = nn.WindowOf(b, nn.SlidingAttention)
	}
	a.Rotary = a.Window > 0 || (!nn.IsSparse(b, i, dense) && b.Int("prefix_dense_sliding_window_pattern") == 1)
	return nn.Attend(b, x, "self_attn", a)
}
