package hf

import "slices"

// Norm is how queries and keys are normalised before they meet.
type Norm int

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
	Bias, OutBias           bool  // of queries, keys and values; of the last map
	NoKeyBias               bool  // the keys have none in spite of Bias: Whisper
	Norm                    Norm
	QNorm, KNorm            string // names of the norms: q_norm, k_norm where empty
	Rotary, Causal          bool
	Base                    float64 // of the rotary angles; 0: 10,000
	Turned                  int64   // how many features of a head, its first, turn with the position; 0: all
	Window                  int64   // how far back a position sees, 0: everything
	Q, K, V, O              string  // names of the maps: q_proj, k_proj, v_proj, o_proj where empty
	Fused                   string  // name of the one map of queries, keys and values, in their place
	Sinks                   string  // name of a trained logit per head that takes attention away, where there is one
	Scaled                  bool    // it does so by a factor of what was seen, computed from the sum of the scores
	Memory                  Node    // where keys and values come from in cross-attention
	MemoryDim               int64   // its features; 0: this attends to itself
	Clamped                 bool    // its scores are held above a least number
}

func (a Attention) filled() Attention {
	if a.KV == 0 {
		a.KV = a.Heads
	}
	if a.HeadDim == 0 && a.Heads > 0 {
		a.HeadDim = a.Dim / a.Heads
	}
	a.Q, a.K, a.V, a.O = or(a.Q, "q_proj"), or(a.K, "k_proj"), or(a.V, "v_proj"), or(a.O, "o_proj")
	a.QNorm, a.KNorm = or(a.QNorm, "q_norm"), or(a.KNorm, "k_norm")
	return a
}

// whole says whether one catalogue component has just these weights.
func (a Attention) whole() bool {
	return !a.NoKeyBias && (a.Norm == NoNorm || a.Norm == HeadRMS) && a.Sinks == "" && a.MemoryDim == 0 && (a.Window == 0 || a.Rotary) &&
		(!a.Rotary || a.HeadDim%2 == 0 && a.Turned%2 == 0)
}

// Attend adds attention at a place: one component where the catalogue has it whole, else its maps around the bare attention.
func (b *Build) Attend(x Node, name string, a Attention) Node {
	a = a.filled()
	m := b.Scope("%s", name)
	if a.whole() {
		return m.attendWhole(x, a)
	}
	return m.attendParts(x, a)
}

func (b *Build) attendWhole(x Node, a Attention) Node {
	typ, args := "groupedQueryAttention", Args{Int("embedDim", a.Dim), Int("numHeads", a.Heads), Int("numKVHeads", a.KV), Int("headDim", a.HeadDim),
		Flag("bias", a.Bias), Flag("outBias", a.OutBias)}
	if a.Norm == HeadRMS {
		args = append(args, Flag("qkNorm", true))
	}
	if !a.Causal {
		args = append(args, Flag("causal", false))
	}
	if a.Rotary {
		typ = "ropeAttention"
		if a.Base > 0 {
			args = append(args, Num("base", a.Base))
		}
		if a.Window > 0 {
			args = append(args, Int("windowSize", a.Window))
		}
	}
	n := b.Add(typ, "", args, x)
	b.joins(n, a)
	b.attentionWays(n, a)
	q, kv := a.Heads*a.HeadDim, a.KV*a.HeadDim
	if a.Fused != "" {
		b.way(n, "fused")
		b.weights(a.Fused, a.Bias, q+2*kv, a.Dim)
	} else {
		b.weights(a.Q, a.Bias, q, a.Dim)
		b.weights(a.K, a.Bias, kv, a.Dim)
		b.weights(a.V, a.Bias, kv, a.Dim)
	}
	b.weights(a.O, a.OutBias, a.Dim, q)
	if a.Norm == HeadRMS {
		if how := modules.Norm[b.modelType]; how != "" {
			b.way(n, how)
		}
		b.Tensor(a.QNorm+".weight", a.HeadDim)
		b.Tensor(a.KNorm+".weight", a.HeadDim)
	}
	return n
}

func (b *Build) attendParts(x Node, a Attention) Node {
	return b.Linear(b.attended(x, a), a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}

// attended is attention up to its last map.
func (b *Build) attended(x Node, a Attention) Node {
	q, k, v := b.project(x, a)
	q, k = b.normHeads(q, a.QNorm, a.Heads, a), b.normHeads(k, a.KNorm, a.KV, a)
	if a.Rotary {
		q, k = b.turn(q, a.Heads, a), b.turn(k, a.KV, a)
	}
	y := b.Core(q, k, v, a.Heads, a.KV, a.Causal && a.MemoryDim == 0)
	b.joins(y, a)
	b.attentionWays(y, a)
	if a.Window > 0 {
		b.Set(y, "windowSize", Int("", a.Window).Value)
	}
	if a.Sinks != "" {
		b.Set(y, "sinks", Flag("", true).Value)
		b.Tensor(a.Sinks, a.Heads)
	}
	return y
}

// project maps to queries, keys and values.
func (b *Build) project(x Node, a Attention) (q, k, v Node) {
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

func (b *Build) normHeads(x Node, name string, heads int64, a Attention) Node {
	switch a.Norm {
	case HeadRMS:
		x = b.Add("qkNorm", name, Args{Int("headDim", a.HeadDim)}, x)
		b.Tensor(name+".weight", a.HeadDim)
	case FullRMS:
		x = b.RMSNorm(x, name, heads*a.HeadDim)
	case HeadLayerNorm:
		x = b.Add("qkNorm", name, Args{Int("headDim", a.HeadDim), Text("kind", "layer")}, x)
		b.weights(name, true, a.HeadDim)
	case PlainRMS:
		x = b.Add("qkNorm", name, Args{Int("headDim", a.HeadDim), Flag("elementwiseAffine", false)}, x)
	}
	return x
}

// Rotate turns the features of each head by the position.
func (b *Build) Rotate(x Node, headDim int64, base float64) Node {
	args := Args{Int("headDim", headDim)}
	if base > 0 {
		args = append(args, Num("base", base))
	}
	return b.Add("rope", "rotary_emb", args, x)
}

// turn turns the first features of each head, or all of them.
func (b *Build) turn(x Node, heads int64, a Attention) Node {
	if a.Turned == 0 || a.Turned >= a.HeadDim {
		return b.Rotate(x, a.HeadDim, a.Base)
	}
	x = b.Unflatten(x, heads, a.HeadDim)
	first := b.Rotate(b.Flat(b.Slice(x, 0, a.Turned)), a.Turned, a.Base)
	return b.Flat(b.Add("concatenate", "", Args{Int("dim", -1)}, b.Unflatten(first, heads, a.Turned), b.Slice(x, a.Turned, a.HeadDim)))
}

// joins says of attention that its queries are joined of parts, where the model's module writes it so, even if one part is empty.
func (b *Build) joins(n Node, a Attention) {
	if a.Rotary && slices.Contains(modules.Joined, b.modelType) {
		b.way(n, "joined")
	}
}

// Flat joins the heads of a sequence.
func (b *Build) Flat(x Node) Node { return b.Add("flatten", "", Args{Int("startDim", 2)}, x) }

// Unflatten splits the last axis of a sequence into heads.
func (b *Build) Unflatten(x Node, heads, headDim int64) Node {
	return b.Add("unflatten", "", Args{Int("dim", 2), Ints("unflattenedSize", heads, headDim)}, x)
}

// Slice is a range of the last axis.
func (b *Build) Slice(x Node, start, end int64) Node {
	return b.Add("slice", "", Args{Int("dim", -1), Int("start", start), Int("end", end)}, x)
}

// Core is attention without weights over (sequence, heads*features). A bias, where given, is added to the scores.
func (b *Build) Core(q, k, v Node, heads, kv int64, causal bool, bias ...Node) Node {
	args := Args{Int("numHeads", heads)}
	if kv != heads {
		args = append(args, Int("numKVHeads", kv))
	}
	if causal {
		args = append(args, Flag("causal", true))
	}
	return b.Add("attentionCore", "", args, append([]Node{q, k, v}, bias...)...)
}
