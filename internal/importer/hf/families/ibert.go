package families

import (
	"math"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "ibert", Default: "IBertForMaskedLM",
	Classes: integers(roberta("ibert", iBert, stack.RobertaWords)).Classes("IBert", stack.MaskedLM,
		stack.SequenceClassification, stack.TokenClassification, stack.QuestionAnswering)})

// iBert is RoBERTa with modules of its own for everything that integers can compute, and trains in floats. Its
// softmax is taken in the width of the input.
var iBert = Bert{Padded: true, Single: true, Norm: transformers.LayerNorm{Steps: true, Plain: true}, Attend: func(m *Build, x Node, a nn.Attention) Node {
	n := bertAttend(m, x, "", a)
	if !m.IsType(n, "linear") {
		build.Written(m, n, func(a *transformers.Attention) { a.Plain = true })
	}
	return n
}}

// integers has room for the integers of each weight of a model but those of its norms, whether it computes with them
// or not.
func integers(e stack.Encoder) stack.Encoder {
	floats := e.Model
	e.Model = func(m *Build) (x, table Node) {
		first := len(m.Tensors())
		x, table = floats(m)
		sum := int64(0)
		for _, t := range m.Tensors()[first:] {
			if elems, fits := t.Elements(); fits && !strings.Contains(t.Name, "LayerNorm") {
				sum += min(elems, math.MaxInt64-sum)
			}
		}
		m.Constant(x, "weight_integer", max(sum, 1))
		return x, table
	}
	return e
}
