package hf

import "strings"

var _ = define(Family{Type: "longformer", Default: "LongformerForMaskedLM",
	Classes: Encoder{Prefix: "longformer", Model: longformer, Pool: bertPool, Words: robertaWords, Whole: frontClass("tanh")}.
		classes("Longformer", masked, sequences, tokens, answers)})

// longformer is RoBERTa whose positions see a window around them. The heads that answer for a whole text make its first position a global
// one, which has maps of its own and sees everything; below the others nothing reads those.
func longformer(b *Build) (x, table Node) {
	s := Bert{Padded: true, Single: true}
	b.checkWindows()
	length, layer := b.filled(s), int64(-1)
	global := strings.HasSuffix(b.state.class, sequences) || strings.HasSuffix(b.state.class, answers)
	s.Attend = func(m *Build, x Node, a Attention) Node {
		layer++
		ahead := func(name string) Node { // of the batch, for which each map makes a copy
			return m.Linear(m.Scope("self").moved(x, "transpose", length, a.Dim), name, a.Dim, a.Dim, true)
		}
		q, k, v := ahead(a.Q), ahead(a.K), ahead(a.V)
		local := m.Scope("self").banded(q, k, v, a, length, b.window(layer, b.Int("num_hidden_layers"))/2)
		if !global {
			for _, name := range []string{a.Q, a.K, a.V} {
				m.Unused(x, name+"_global.weight", a.Dim, a.Dim)
				m.Unused(x, name+"_global.bias", a.Dim)
			}
			return m.Linear(local, a.O, a.Dim, a.Dim, true)
		}
		look := func(x, memory Node, suffix string) Node {
			q := m.Linear(x, a.Q+suffix, a.Dim, a.Dim, true)
			return m.Core(q, m.Linear(memory, a.K+suffix, a.Dim, a.Dim, true), m.Linear(memory, a.V+suffix, a.Dim, a.Dim, true), a.Heads, a.Heads, false)
		}
		span := func(x Node, start, end int64) Node {
			return m.Add("slice", "self", Args{Int("dim", 1), Int("start", start), Int("end", end)}, x)
		}
		y := look(span(x, 0, 1), x, "_global")
		if length > 1 {
			y = m.Add("concatenate", "self", Args{Int("dim", 1)}, y, span(local, 1, length))
		}
		return m.Linear(y, a.O, a.Dim, a.Dim, true)
	}
	return b.encodeFilled(s, length)
}

// filled is the length of the text filled up to whole windows, of the widest layer.
func (b *Build) filled(s Bert) int64 {
	widest, layers := int64(2), b.Int("num_hidden_layers")
	for i := range layers {
		widest = max(widest, b.window(i, layers))
	}
	return blocksOf(b.Length(s.longest(b)), widest) * widest
}

// encodeFilled runs the text, filled up to a length, through the model, and cuts the rest off again. Padding has one row in the table of positions, so that
// a text may be filled up to more positions than the table has: then its sum is filled up, and not what was looked up.
func (b *Build) encodeFilled(s Bert, filled int64) (x, table Node) {
	length := b.Length(s.longest(b))
	table = b.tokens(s.longest(b), "embeddings.word_embeddings", b.Size("hidden_size"))
	if rows, _ := s.rows(b); filled > rows {
		x = b.fill(s.embed(b, table), 0, filled-length)
	} else {
		x = s.embed(b, b.fill(table, 0, filled-length))
	}
	if x = s.encode(b, x); filled > length {
		x = b.Span(x, 0, length)
	}
	return x, table
}

// checkWindows refuses windows that cannot lie evenly around a position.
func (b *Build) checkWindows() {
	const key = "attention_window"
	windows, layers := []int64{}, b.Int("num_hidden_layers")
	if _, one := b.value(key).([]any); !one {
		windows = append(windows, b.Int(key))
	} else if windows = b.Ints(key); int64(len(windows)) != layers {
		fail(CodeContradiction, b.at(key), "has %d numbers but num_hidden_layers is %d", len(windows), layers)
	}
	for _, w := range windows {
		if w < 1 || w%2 != 0 {
			fail(CodeConfig, b.at(key), "is %d but takes an even number of at least 2", w)
		}
	}
}

// banded is attention to the positions at most reach away. The text, made a multiple of the window, is cut into pieces of twice the reach that
// overlap by half for the scores, of which each position keeps those of its window, and into pieces of three times the reach for the values.
func (b *Build) banded(q, k, v Node, a Attention, length, reach int64) Node {
	full := (length + 2*reach - 1) / (2 * reach) * (2 * reach)
	if full > length {
		pad := func(x Node) Node { return b.Add("pad", "", Args{Ints("padding", 0, 0, 0, full-length)}, x) }
		q, k, v = pad(q), pad(k), pad(v)
	}
	pieces := full/reach - 1
	cut := func(x Node) Node {
		if pieces == 1 {
			return b.inHeads(x, a.Heads, a.HeadDim)
		}
		return b.moved(x, "chunk", b.product(a.Heads, pieces), 2*reach, a.HeadDim)
	}
	scores := b.moved(b.times(cut(q), cut(k), true), "diagonals", full, a.Heads, 2*reach+1)
	b.way(scores, "banded")
	weights := b.weighted(scores)
	b.way(weights, "wide")
	weights = b.moved(b.drop(weights, "attention_probs_dropout_prob"), "diagonalize", b.product(a.Heads, pieces+1), reach, 3*reach)
	y := b.times(weights, b.moved(v, "chunk", b.product(a.Heads, pieces+1), 3*reach, a.HeadDim), false)
	y = b.Flat(b.Add("permute", "", Args{Ints("dims", 0, 2, 1, 3)}, b.Add("reshape", "", Args{Ints("shape", a.Heads, full, a.HeadDim)}, y)))
	if full == length {
		return y
	}
	return b.Span(y, 0, length)
}
