package nn

import (
	"cmp"
	"fmt"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
)

// RotaryAttention is the attention that most configs describe: grouped heads with rotary positions, and
// attention_bias for all four projections. theta is the class's own base of the angles, where the config names none.
func RotaryAttention(b *build.Build, theta float64) Attention {
	return Rotary(b, theta).Biased(b.Bool("attention_bias"))
}

// Mixture adds experts at mlp, and the shared network of every token, which may have 0 features.
func Mixture(b *build.Build, x build.Node, e Experts, shared Gated) build.Node {
	m := b.Scope("mlp")
	return m.Residual(AddExperts(b, x, "mlp", e), GatedMLP(m, x, cmp.Or(e.SharedName, "shared_experts"), shared))
}

// AttendThrough is attention with something between the heads and the last projection.
func AttendThrough(b *build.Build, x build.Node, name string, a Attention,
	between func(m *build.Build, y build.Node) build.Node) build.Node {
	a = a.Filled()
	m := b.Scope("%s", name)
	return m.Linear(between(m, Attended(m, x, a)), a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}

// SandwichNorms are the names of the norms of a layer, empty where there is none.
type SandwichNorms struct{ BeforeAttention, AfterAttention, BeforeFeed, AfterFeed string }

// Sandwich is a layer whose two branches have norms before them, behind them, or both.
func Sandwich(b *build.Build, x build.Node, n SandwichNorms, attend, feed func(x build.Node) build.Node) build.Node {
	dim := b.Size("hidden_size")
	norm := func(x build.Node, name string) build.Node {
		if name == "" {
			return x
		}
		return b.RMSNorm(x, name, dim)
	}
	x = b.Residual(x, norm(attend(norm(x, n.BeforeAttention)), n.AfterAttention))
	return b.Residual(x, norm(feed(norm(x, n.BeforeFeed)), n.AfterFeed))
}

// PerLayerText reads what a list says of a layer, else what the class derives, which may read other keys.
func PerLayerText(b *build.Build, key string, i int64, derived func(i int64) string) string {
	if !b.Has(key) {
		return derived(i)
	}
	return LayerKind(b, key, i, "")
}

// TextAt is one text of a list.
func TextAt(b *build.Build, key string, i int64) string {
	kinds := b.List(key)
	if i >= int64(len(kinds)) {
		config.Fail(config.CodeContradiction, b.At(key), "names %d layers but num_hidden_layers is %d", len(kinds),
			b.Int("num_hidden_layers"))
	}
	kind, ok := kinds[i].(string)
	if !ok {
		config.Fail(graph.CodeType, b.At(fmt.Sprintf("%s[%d]", key, i)), "is %s but takes a text",
			config.Written(kinds[i]))
	}
	return kind
}

// Slides says whether a layer sees only a window: what layer_types says, else all but each period-th.
func Slides(b *build.Build, i, period int64) bool {
	return slidesBut(b, i, func() int64 { return period })
}

// SlidesEvery is slides with a period from the config. The key is read only where layer_types does not say it.
func SlidesEvery(b *build.Build, i int64, key string, otherwise int64) bool {
	return slidesBut(b, i, func() int64 { return b.SizeOr(key, otherwise) })
}

func slidesBut(b *build.Build, i int64, period func() int64) bool {
	return PerLayerText(b, "layer_types", i, func(i int64) string {
		if (i+1)%period() == 0 {
			return "full_attention"
		}
		return "sliding_attention"
	}) == "sliding_attention"
}

// IsSparse says whether a layer has experts: what mlp_layer_types says, else all but the first ones.
func IsSparse(b *build.Build, i, dense int64) bool {
	return PerLayerText(b, "mlp_layer_types", i, func(i int64) string {
		if i < dense {
			return "dense"
		}
		return "sparse"
	}) == "sparse"
}
