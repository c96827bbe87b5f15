package hf

var _ = define(Family{Type: "cohere2_moe", Default: "Cohere2MoeForCausalLM", Classes: headed("Cohere2Moe", cohere2Moe)})

// cohere2Moe is Cohere 2 with experts behind the first layers.
func cohere2Moe(b *Build) Decoder {
	norm := plainLayerNorm
	if b.Has("rms_norm_eps") {
		norm = func(b *Build, x Node, name string, dim int64) Node { return b.RMSNorm(x, name, dim) }
	}
	return parallel(b, norm, cohere2MoeAttention, func(b *Build, x Node, i int64) Node {
		g := b.network(false)
		if !b.sparse(i, b.Or("first_k_dense_replace", 0)) {
			g.Hidden = b.SizeOr("prefix_dense_intermediate_size", g.Hidden)
			return b.Gated(x, "mlp", g)
		}
		e := Experts{Dim: g.Dim, Count: b.Size("num_experts"), TopK: b.Size("num_experts_per_tok"), Hidden: g.Hidden}
		if b.Int("num_shared_experts") == 0 {
			return b.Experts(x, "mlp", e)
		}
		g.Hidden *= b.Size("num_shared_experts")
		return b.mixture(x, e, g)
	})
}

// cohere2MoeAttention has positions where it sees a window, and in a dense layer when all of those see everything.
func cohere2MoeAttention(b *Build, x Node, i int64) Node {
	dense, a := b.Or("first_k_dense_replace", 0), b.rotaryAttention(0)
	n, period := i, b.Size("sliding_window_pattern")
	if i < dense {
		period = b.Size("prefix_dense_sliding_window_pattern")
	} else {
		n -= dense
	}
	kind := b.perLayerText("layer_types", i, func(int64) string {
		if (n+1)%period == 0 {
			return "full_attention"
		}
		return "sliding_attention"
	})
	if kind == "sliding_attention" {
		a.Window = b.windowOf(sliding)
	}
	a.Rotary = a.Window > 0 || (!b.sparse(i, dense) && b.Int("prefix_dense_sliding_window_pattern") == 1)
	return b.Attend(x, "self_attn", a)
}
