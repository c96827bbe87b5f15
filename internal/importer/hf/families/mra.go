package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "mra", Default: "MraForMaskedLM",
	Classes: stack.Encoder{Prefix: "mra", Model: mra, Words: stack.BertWords}.Classes("Mra", stack.MaskedLM,
		stack.TokenClassification)})

// mra is BERT whose attention is exact in a few blocks of the scores, and averaged elsewhere. That is computed by a
// kernel that is not a part of PyTorch; where it is not installed, as in the measured runs, attention gives zeros
// that require a gradient, and nothing before it has one.
func mra(b *Build) (x, table Node) {
	s := Bert{Skip: 2, Single: true}
	length := b.Length(s.longest(b))
	s.Attend = func(m *Build, x Node, a nn.Attention) Node {
		q, k, v := nn.Project(m, x, a)
		y := nn.Approximated(m.Scope("self"), m.Detach(q), m.Detach(k), m.Detach(v), length, a.Dim, -1)
		m.As(y, transformers.Zeros{})
		return m.Linear(y, a.O, a.Dim, a.Dim, true)
	}
	return s.model(b)
}
