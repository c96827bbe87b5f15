package hf

var _ = define(Family{Type: "longformer", Default: "LongformerForMaskedLM",
	Classes: Encoder{Prefix: "longformer", Model: longformer, Pool: bertPool, Words: robertaWords, Whole: frontClass("tanh")}.
		classes("Longformer", masked, sequences, tokens, answers)})

// longformer is RoBERTa whose positions see a window around them. The first position, the global one, has maps of its own and
// sees everything. The graph counts the scores outside of the window, too.
func longformer(b *Build) (x, table Node) {
	s := Bert{Padded: true, Single: true}
	b.checkWindows()
	length := b.Length(s.longest(b))
	s.Attend = func(m *Build, x Node, a Attention) Node {
		look := func(x, memory Node, suffix string) Node {
			q := m.Linear(x, a.Q+suffix, a.Dim, a.Dim, true)
			return m.Core(q, m.Linear(memory, a.K+suffix, a.Dim, a.Dim, true), m.Linear(memory, a.V+suffix, a.Dim, a.Dim, true), a.Heads, a.Heads, false)
		}
		span := func(x Node, start, end int64) Node {
			return m.Add("slice", "self", Args{Int("dim", 1), Int("start", start), Int("end", end)}, x)
		}
		local, y := look(x, x, ""), look(span(x, 0, 1), x, "_global")
		if length > 1 {
			y = m.Add("concatenate", "self", Args{Int("dim", 1)}, y, span(local, 1, length))
		}
		return m.Linear(y, a.O, a.Dim, a.Dim, true)
	}
	return s.model(b)
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
