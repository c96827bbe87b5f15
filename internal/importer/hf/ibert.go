package hf

var _ = define(Family{Type: "ibert", Default: "IBertForMaskedLM", Classes: roberta("ibert", iBert, robertaWords).classes("IBert", masked, sequences, tokens, answers)})

// iBert is RoBERTa with modules of its own for everything that integers can compute, and trains in floats. Its softmax is taken in the
// width that arrives.
var iBert = Bert{Padded: true, Single: true, Norms: "steps/plain", Attend: func(m *Build, x Node, a Attention) Node {
	n := m.bertAttend(x, "", a)
	m.way(n, "plain")
	return n
}}
