// Package nn has what the layers of several families are made of: attention with its projections and rotary
// positions, feed-forward networks, mixtures of experts, state-space recurrences. It knows no model type.
package nn

import (
	"cmp"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/transformers"
)

// Norm is how queries and keys are normalised before they meet.
type Norm int

// The norms of queries and keys.
const (
	NoNorm        Norm = iota
	HeadRMS            // each head by its root mean square: Qwen3
	FullRMS            // all heads at once: OLMo 2
	HeadLayerNorm      // each head by a layer norm with bias
	PlainRMS           // each head, without weights: Llama 4
)

// Attention is self-attention with its projections.
type Attention struct {
	Dim, Heads, KV, HeadDim int64 // KV 0: as many as Heads; HeadDim 0: Dim/Heads, rounded down as transformers does
	Bias, OutBias           bool  // of queries, keys and values; of the last projection
	NoKeyBias               bool  // the keys have none in spite of Bias: Whisper
	Norm                    Norm
	QNorm, KNorm            string // names of the norms: q_norm, k_norm where empty
	Rotary, Causal          bool
	Base                    float64    // of the rotary angles; 0: 10,000
	RotaryDim               int64      // how many features of a head, its first, are rotated by the position; 0: all
	Window                  int64      // how far back a position sees, 0: everything
	Q, K, V, O              string     // names of the projections: q_proj, k_proj, v_proj, o_proj where empty
	Fused                   string     // name of the one projection of queries, keys and values, in their place
	Sinks                   string     // name of a trained logit per head that takes attention away, where there is one
	Scaled                  bool       // it does so by a factor of what was seen, computed from the sum of the scores
	Memory                  build.Node // where keys and values come from in cross-attention
	MemoryDim               int64      // its features; 0: this attends to itself
	Clamped                 bool       // its scores are clamped from below
}

// Filled puts the defaults in the place of what is left out.
func (a Attention) Filled() Attention {
	if a.KV == 0 {
		a.KV = a.Heads
	}
	if a.HeadDim == 0 && a.Heads > 0 {
		a.HeadDim = a.Dim / a.Heads
	}
	a.Q, a.K, a.V, a.O = cmp.Or(a.Q, "q_proj"), cmp.Or(a.K, "k_proj"), cmp.Or(a.V, "v_proj"), cmp.Or(a.O, "o_proj")
	a.QNorm, a.KNorm = cmp.Or(a.QNorm, "q_norm"), cmp.Or(a.KNorm, "k_norm")
	return a
}

// whole says whether one catalogue component has just these weights.
func (a Attention) whole() bool {
	return !a.NoKeyBias && (a.Norm == NoNorm || a.Norm == HeadRMS) && a.Sinks == "" && a.MemoryDim == 0 &&
		(a.Window == 0 || a.Rotary) &&
		(!a.Rotary || a.HeadDim%2 == 0 && a.RotaryDim%2 == 0)
}

// Attend adds attention at a place: one component where the catalogue has it whole, else its projections around the
// bare attention.
func Attend(b *build.Build, x build.Node, name string, a Attention) build.Node {
	a = a.Filled()
	m := b.Scope("%s", name)
	if a.whole() {
		return attendWhole(m, x, a)
	}
	return attendParts(m, x, a)
}

func attendWhole(b *build.Build, x build.Node, a Attention) build.Node {
	typ, args := "groupedQueryAttention", build.Args{build.Int("embedDim", a.Dim), build.Int("numHeads", a.Heads),
		build.Int("numKVHeads", a.KV), build.Int("headDim", a.HeadDim),
		build.Flag("bias", a.Bias), build.Flag("outBias", a.OutBias)}
	if a.Norm == HeadRMS {
		args = append(args, build.Flag("qkNorm", true))
	}
	if !a.Causal {
		args = append(args, build.Flag("causal", false))
	}
	if a.Rotary {
		typ = "ropeAttention"
		if a.Base > 0 {
			args = append(args, build.Num("base", a.Base))
		}
		if a.Window > 0 {
			args = append(args, build.Int("windowSize", a.Window))
		}
	}
	n := b.Add(typ, "", args, x)
	MarkJoined(b, n, a)
	AttentionVariants(b, n, a)
	q, kv := a.Heads*a.HeadDim, a.KV*a.HeadDim
	if a.Fused != "" {
		build.Written(b, n, func(m *transformers.Attention) { m.Fused = true })
		b.Weights(a.Fused, a.Bias, q+2*kv, a.Dim)
	} else {
		b.Weights(a.Q, a.Bias, q, a.Dim)
		b.Weights(a.K, a.Bias, kv, a.Dim)
		b.Weights(a.V, a.Bias, kv, a.Dim)
	}
	b.Weights(a.O, a.OutBias, a.Dim, q)
	if a.Norm == HeadRMS {
		build.Written(b, n, func(m *transformers.Attention) { m.Norm = build.NormOf(b) })
		b.Tensor(a.QNorm+".weight", a.HeadDim)
		b.Tensor(a.KNorm+".weight", a.HeadDim)
	}
	return n
}

func attendParts(b *build.Build, x build.Node, a Attention) build.Node {
	return b.Linear(Attended(b, x, a), a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}

// Attended is attention up to its last projection.
func Attended(b *build.Build, x build.Node, a Attention) build.Node {
	q, k, v := Project(b, x, a)
	q, k = NormHeads(b, q, a.QNorm, a.Heads, a), NormHeads(b, k, a.KNorm, a.KV, a)
	q, k, v = clipped(b, q), clipped(b, k), clipped(b, v)
	if a.Rotary {
		q, k = RotateHeads(b, q, a.Heads, a), RotateHeads(b, k, a.KV, a)
	}
	y := b.Core(q, k, v, a.Heads, a.KV, a.Causal && a.MemoryDim == 0)
	MarkJoined(b, y, a)
	AttentionVariants(b, y, a)
	if a.Window > 0 {
		b.Set(y, "windowSize", build.Int("", a.Window).Value)
	}
	if a.Sinks != "" {
		b.Set(y, "sinks", build.Flag("", true).Value)
		b.Tensor(a.Sinks, a.Heads)
	}
	return y
}

// clipped clamps queries, keys or values between two numbers, where the config asks for it.
func clipped(b *build.Build, x build.Node) build.Node {
	if b.Config == nil || !b.Positive("clip_qkv") {
		return x
	}
	most := b.Float("clip_qkv")
	return b.Add("clamp", "", build.Args{build.Num("min", -most), build.Num("max", most)}, x)
}

// Project makes queries, keys and values.
func Project(b *build.Build, x build.Node, a Attention) (q, k, v build.Node) {
	wide, narrow := a.Heads*a.HeadDim, a.KV*a.HeadDim
	if a.Fused != "" {
		all := b.Linear(x, a.Fused, a.Dim, wide+2*narrow, a.Bias)
		return b.Slice(all, 0, wide), b.Slice(all, wide, wide+narrow), b.Slice(all, wide+narrow, wide+2*narrow)
	}
	memory, dim := x, a.Dim
	if a.MemoryDim > 0 {
		memory, dim = a.Memory, a.MemoryDim
	}
	q = b.Linear(x, a.Q, a.Dim, wide, a.Bias)
	k = b.Linear(memory, a.K, dim, narrow, a.Bias && !a.NoKeyBias)
	v = b.Linear(memory, a.V, dim, narrow, a.Bias)
	return q, k, v
}

// NormHeads normalises queries or keys.
func NormHeads(b *build.Build, x build.Node, name string, heads int64, a Attention) build.Node {
	switch a.Norm {
	case HeadRMS:
		x = b.Add("qkNorm", name, build.Args{build.Int("headDim", a.HeadDim)}, x)
		b.Tensor(name+".weight", a.HeadDim)
	case FullRMS:
		x = b.RMSNorm(x, name, heads*a.HeadDim)
	case HeadLayerNorm:
		x = b.Add("qkNorm", name, build.Args{build.Int("headDim", a.HeadDim), build.Text("kind", "layer")}, x)
		b.Weights(name, true, a.HeadDim)
	case PlainRMS:
		x = b.Add("qkNorm", name, build.Args{build.Int("headDim", a.HeadDim), build.Flag("elementwiseAffine", false)},
			x)
	}
	return x
}

// Rotate rotates the features of each head by the position.
func Rotate(b *build.Build, x build.Node, headDim int64, base float64) build.Node {
	args := build.Args{build.Int("headDim", headDim)}
	if base > 0 {
		args = append(args, build.Num("base", base))
	}
	return b.Add("rope", "rotary_emb", args, x)
}

// RotateHeads rotates the first features of each head, or all of them.
func RotateHeads(b *build.Build, x build.Node, heads int64, a Attention) build.Node {
	if a.RotaryDim == 0 || a.RotaryDim >= a.HeadDim {
		return Rotate(b, x, a.HeadDim, a.Base)
	}
	x = b.Unflatten(x, heads, a.HeadDim)
	first := Rotate(b, b.Flat(b.Slice(x, 0, a.RotaryDim)), a.RotaryDim, a.Base)
	return b.Flat(b.Add("concatenate", "", build.Args{build.Int("dim", -1)}, b.Unflatten(first, heads, a.RotaryDim),
		b.Slice(x, a.RotaryDim, a.HeadDim)))
}

// MarkJoined says of attention that its queries are joined of parts, where the model's module writes it so, even if
// one part is empty.
func MarkJoined(b *build.Build, n build.Node, a Attention) {
	if a.Rotary && build.JoinsQueries(b) {
		build.Written(b, n, func(m *transformers.Attention) { m.Joined = true })
	}
}

// AlibiSlopes is the constant of ALiBi: for each head, how much less each position counts.
func AlibiSlopes(b *build.Build, x build.Node, heads int64) build.Node {
	return b.Constant(x, "alibi", heads, 1, b.TextLength())
}

// AttendBiased is attention whose scores get something added: ALiBi, or a bias for each distance.
func AttendBiased(b *build.Build, x build.Node, name string, a Attention, bias build.Node) build.Node {
	a = a.Filled()
	m := b.Scope("%s", name)
	q, k, v := Project(m, x, a)
	return m.Linear(m.Core(q, k, v, a.Heads, a.KV, a.Causal, bias), a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}

// AttendSquare is attention whose projections have hidden_size features even where the heads have fewer: then it
// cannot run.
func AttendSquare(b *build.Build, x build.Node, name string, a Attention) build.Node {
	a = a.Filled()
	if a.Heads*a.HeadDim == a.Dim {
		return Attend(b, x, name, a)
	}
	m := b.Scope("%s", name)
	if a.Fused != "" {
		x = m.Linear(x, a.Fused, a.Dim, 3*a.Dim, a.Bias)
		return m.Linear(m.Core(m.Chunk(x, 3, 0), m.Chunk(x, 3, 1), m.Chunk(x, 3, 2), a.Heads, a.Heads, a.Causal), a.O,
			a.Dim, a.Dim, a.OutBias)
	}
	q, k, v := m.Linear(x, a.Q, a.Dim, a.Dim, a.Bias), m.Linear(x, a.K, a.Dim, a.Dim, a.Bias),
		m.Linear(x, a.V, a.Dim, a.Dim, a.Bias)
	return m.Linear(m.Core(q, k, v, a.Heads, a.Heads, a.Causal), a.O, a.Dim, a.Dim, a.OutBias)
}
