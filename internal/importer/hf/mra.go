package hf

var _ = define(Family{Type: "mra", Default: "MraForMaskedLM", Classes: Encoder{Prefix: "mra", Model: mra, Words: bertWords}.classes("Mra", masked, tokens)})

// mra is BERT whose attention is exact in a few blocks of the scores, and averaged elsewhere. That is computed by a kernel that is not a part of
// PyTorch; where it is not installed, as in the measured runs, attention gives zeros, and nothing before it has a gradient.
func mra(b *Build) (x, table Node) {
	s := Bert{Skip: 2, Single: true}
	length := b.Length(s.longest(b))
	s.Attend = func(m *Build, x Node, a Attention) Node {
		first := len(m.state.graph.Components)
		q, k, v := m.project(x, a)
		y := m.Scope("self").approximated(q, k, v, length, a.Dim, -1)
		m.detach(first)
		return m.Linear(y, a.O, a.Dim, a.Dim, true)
	}
	return s.model(b)
}
