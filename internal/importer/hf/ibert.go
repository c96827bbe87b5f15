package hf

import (
	"math"
	"strings"
)

var _ = define(Family{Type: "ibert", Default: "IBertForMaskedLM", Classes: integers(roberta("ibert", iBert, robertaWords)).classes("IBert", masked, sequences, tokens, answers)})

// iBert is RoBERTa with modules of its own for everything that integers can compute, and trains in floats. Its softmax is taken in the
// width that arrives.
var iBert = Bert{Padded: true, Single: true, Norms: "steps/plain", Attend: func(m *Build, x Node, a Attention) Node {
	n := m.bertAttend(x, "", a)
	m.way(n, "plain")
	return n
}}

// integers has room for the integers of each weight of a model but those of its norms, whether it computes with them or not.
func integers(e Encoder) Encoder {
	floats := e.Model
	e.Model = func(m *Build) (x, table Node) {
		first := len(m.state.tensors)
		x, table = floats(m)
		sum := int64(0)
		for _, t := range m.state.tensors[first:] {
			if elems, fits := t.Elements(); fits && !strings.Contains(t.Name, "LayerNorm") {
				sum += min(elems, math.MaxInt64-sum)
			}
		}
		m.Constant(x, "weight_integer", max(sum, 1))
		return x, table
	}
	return e
}
