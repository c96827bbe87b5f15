package hf

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/graph"
)

// rotaryAttention is the attention that most configs describe: grouped heads with rotary positions, and attention_bias for
// all four maps. theta is the class's own base of the angles, where the config names none.
func (b *Build) rotaryAttention(theta float64) Attention {
	return b.rotary(theta).biased(b.Bool("attention_bias"))
}

// network is the gated network that most configs describe.
func (b *Build) network(bias bool) Gated {
	return Gated{Dim: b.Size("hidden_size"), Hidden: b.Size("intermediate_size"), Bias: bias, Act: b.Str("hidden_act")}
}

// mixture adds experts at mlp, and beside them the network that every token visits, which may be 0 features wide.
func (b *Build) mixture(x Node, e Experts, shared Gated) Node {
	m := b.Scope("mlp")
	return m.Residual(b.Experts(x, "mlp", e), m.Gated(x, or(e.SharedName, "shared_experts"), shared))
}

// attendThrough is attention with something between the heads and the last map.
func (b *Build) attendThrough(x Node, name string, a Attention, between func(m *Build, y Node) Node) Node {
	a = a.filled()
	m := b.Scope("%s", name)
	return m.Linear(between(m, m.attended(x, a)), a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}

// norms are the names of the norms of a layer, empty where there is none.
type norms struct{ beforeAttention, afterAttention, beforeFeed, afterFeed string }

// sandwich is a layer whose two branches have norms before them, behind them, or both.
func (b *Build) sandwich(x Node, n norms, attend, feed func(x Node) Node) Node {
	dim := b.Size("hidden_size")
	norm := func(x Node, name string) Node {
		if name == "" {
			return x
		}
		return b.RMSNorm(x, name, dim)
	}
	x = b.Residual(x, norm(attend(norm(x, n.beforeAttention)), n.afterAttention))
	return b.Residual(x, norm(feed(norm(x, n.beforeFeed)), n.afterFeed))
}

// perLayerText reads what a list says of a layer, else what the class derives, which may read other keys.
func (b *Build) perLayerText(key string, i int64, derived func(i int64) string) string {
	if !b.Has(key) {
		return derived(i)
	}
	return b.kind(key, i, "")
}

// textAt is one text of a list.
func (b *Build) textAt(key string, i int64) string {
	kinds := b.list(key)
	if i >= int64(len(kinds)) {
		fail(CodeContradiction, b.at(key), "names %d layers but num_hidden_layers is %d", len(kinds), b.Int("num_hidden_layers"))
	}
	kind, ok := kinds[i].(string)
	if !ok {
		fail(graph.CodeType, b.at(fmt.Sprintf("%s[%d]", key, i)), "is %s but takes a text", written(kinds[i]))
	}
	return kind
}

// slides says whether a layer sees only a window: what layer_types says, else all but each period-th.
func (b *Build) slides(i, period int64) bool {
	return b.slidesBut(i, func() int64 { return period })
}

// slidesEvery is slides with a period that a key holds. The key is read only where layer_types does not say it.
func (b *Build) slidesEvery(i int64, key string, otherwise int64) bool {
	return b.slidesBut(i, func() int64 { return b.SizeOr(key, otherwise) })
}

func (b *Build) slidesBut(i int64, period func() int64) bool {
	return b.perLayerText("layer_types", i, func(i int64) string {
		if (i+1)%period() == 0 {
			return "full_attention"
		}
		return "sliding_attention"
	}) == "sliding_attention"
}

// sparse says whether a layer has experts: what mlp_layer_types says, else all but the first ones.
func (b *Build) sparse(i, dense int64) bool {
	return b.perLayerText("mlp_layer_types", i, func(i int64) string {
		if i < dense {
			return "dense"
		}
		return "sparse"
	}) == "sparse"
}

// positions is the length of the text.
func (b *Build) positions() int64 { return b.Length(b.MaxPositions()) }

// product multiplies sizes for a count of FLOPs, and refuses what cannot be counted.
func (b *Build) product(sizes ...int64) int64 {
	n, ok := size(sizes)
	if !ok {
		fail(CodeConfig, b.path, "the product of %v is beyond what can be counted", sizes)
	}
	return n
}

// divides refuses a size that is not a multiple of another, as the configuration class does.
func (b *Build) divides(whole, part string) {
	if b.Size(whole)%b.Size(part) != 0 {
		fail(CodeContradiction, b.at(whole), "is %d, which is no multiple of %s, %d", b.Int(whole), part, b.Int(part))
	}
}

// inner is an object inside the config that has no class: rope_parameters and the like. It is empty where there is none.
func (b *Build) inner(key string, keys ...string) *Config {
	c := &Config{path: b.path}
	v, path := b.value(key), b.at(key)
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v, path = m[k], fmt.Sprintf("%s.%s", path, k)
	}
	c.values, _ = v.(map[string]any)
	c.path = path
	return c
}

// connect adds a connection to a component that is there already.
func (b *Build) connect(from, to Node) {
	b.state.graph.Connections = append(b.state.graph.Connections, graph.Connection{From: b.ID(from), To: b.ID(to)})
}
