package hf

var _ = define(Family{Type: "mra", Default: "MraForMaskedLM", Classes: Encoder{Prefix: "mra", Model: mra, Words: bertWords}.classes("Mra", masked, tokens)})

// mra is BERT whose attention is exact in a few blocks of the scores, and averaged elsewhere.
func mra(b *Build) (x, table Node) {
	s := Bert{Skip: 2, Single: true}
	length := b.Length(s.longest(b))
	s.Attend = func(m *Build, x Node, a Attention) Node {
		q, k, v := m.project(x, a)
		return m.Linear(m.Scope("self").approximated(q, k, v, length, a.Dim, -1), a.O, a.Dim, a.Dim, true)
	}
	return s.model(b)
}
