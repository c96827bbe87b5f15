package nn

import (
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
)

// Rotary is self-attention as most decoders have it: heads that share keys and values, rotary positions, no bias. The
// base of the angles is the class's own where the config names none.
func Rotary(b *build.Build, base float64) Attention {
	return Attention{Dim: b.Size("hidden_size"), Heads: b.Size("num_attention_heads"), KV: b.KVHeads(),
		HeadDim: b.HeadDim(),
		Rotary:  true, Causal: true, Base: BaseOf(b, "", base)}
}

// Biased is the attention with a bias on all four projections, or on none.
func (a Attention) Biased(yes bool) Attention {
	a.Bias, a.OutBias = yes, yes
	return a
}

// Within is the attention with a window, 0 for none.
func (a Attention) Within(window int64) Attention {
	a.Window = window
	return a
}

// BaseOf is the base of the rotary angles of a kind of layer: some configs have one for each kind.
func BaseOf(b *build.Build, kind string, otherwise float64) float64 {
	if all, ok := b.Value("rope_parameters").(map[string]any); ok {
		if own, ok := all[kind].(map[string]any); ok {
			if inner := config.Object(own, b.At("rope_parameters."+kind)); inner.Has("rope_theta") {
				return inner.Float("rope_theta")
			}
		}
	}
	if base := b.RopeBase(); base > 0 {
		return base
	}
	return otherwise
}

// PartlyRotary is attention of which only a share of each head is rotated by the position: as the config says for the
// kind of layer or for all, else as the class does. Angles come in pairs: where exact is false, transformers rotates a
// feature more if it must.
func PartlyRotary(b *build.Build, a Attention, kind string, share float64, exact bool) Attention {
	const key = "partial_rotary_factor"
	all, _ := b.Value("rope_parameters").(map[string]any)
	own, nested := all[kind].(map[string]any)
	for _, c := range []*config.Config{config.Object(own, b.At("rope_parameters."+kind)),
		config.Object(all, b.At("rope_parameters")), b.Config} {
		if c.Has(key) {
			share, nested = c.Float(key), false
			break
		}
	}
	if nested {
		share = 1
	}
	a.RotaryDim = int64(float64(a.HeadDim) * min(max(share, 0), 1))
	if !exact {
		a.RotaryDim += a.RotaryDim % 2
	}
	a.Rotary = a.Rotary && a.RotaryDim > 0
	return a
}

// LayerKind is the entry of a layer in a list such as layer_types, or what the class would put there.
func LayerKind(b *build.Build, key string, i int64, otherwise string) string {
	if !b.Has(key) {
		return otherwise
	}
	kinds, count := b.List(key), b.Int("num_hidden_layers")
	checked := b.Declares("layer_types") // transformers compares the lengths of these lists, where the class has the first
	if n := int64(len(kinds)); n < count || n > count && checked && strings.HasSuffix(key, "layer_types") {
		config.Fail(config.CodeContradiction, b.At(key), "has %d entries but num_hidden_layers is %d", n, count)
	}
	kind, ok := kinds[i].(string)
	if !ok {
		config.Fail(graph.CodeType, b.At(fmt.Sprintf("%s[%d]", key, i)), "is %s but takes a text",
			config.Written(kinds[i]))
	}
	return kind
}

// Either is one of two kinds.
func Either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// The kinds of layers that layer_types and mlp_layer_types name.
const (
	SlidingAttention = "sliding_attention"
	FullAttention    = "full_attention"
	SparseMLP        = "sparse"
	DenseMLP         = "dense"
)

// WindowOf is how far back a layer of a kind sees: sliding_window where it slides, else everything.
func WindowOf(b *build.Build, kind string) int64 {
	if kind != SlidingAttention {
		return 0
	}
	return b.Or("sliding_window", 0)
}

// Routed is a mixture of experts as most configs describe it. count names the number of experts, width that of one.
func Routed(b *build.Build, count, width string) Experts {
	return Experts{Dim: b.Size("hidden_size"), Count: b.Size(count), TopK: b.Size("num_experts_per_tok"),
		Hidden: b.Size(width)}
}

// LocalExperts names the key of the number of experts where the class calls it num_experts and its config
// num_local_experts.
func LocalExperts(b *build.Build) string {
	if b.Has("num_local_experts") {
		return "num_local_experts"
	}
	return "num_experts"
}

// PreNormed is PreNorm with another norm than RMSNorm.
func PreNormed(b *build.Build, x build.Node, norm func(x build.Node, name string) build.Node, attend,
	feed func(x build.Node) build.Node) build.Node {
	x = b.Residual(x, attend(norm(x, "input_layernorm")))
	return b.Residual(x, feed(norm(x, "post_attention_layernorm")))
}

// LayerNormed is PreNormed with layer norms that have a bias.
func LayerNormed(b *build.Build, x build.Node, attend, feed func(x build.Node) build.Node) build.Node {
	dim := b.Size("hidden_size")
	return PreNormed(b, x, func(x build.Node, name string) build.Node { return b.LayerNorm(x, name, dim, true) },
		attend, feed)
}
