package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "yoso", Default: "YosoForMaskedLM",
	Classes: stack.Encoder{Prefix: "yoso", Model: yoso, Words: stack.BertWords}.Classes("Yoso", stack.MaskedLM,
		stack.TokenClassification)})

// yoso is BERT whose attention weights are the chance that two positions fall into the same bucket of a hash:
// computed for each pair with use_expectation, else estimated by hashing.
func yoso(b *Build) (x, table Node) {
	s := Bert{Skip: 2, Single: true}
	length := b.Length(s.longest(b))
	s.Attend = func(m *Build, x Node, a nn.Attention) Node {
		q, k, v := nn.Project(m, x, a)
		if b.Bool("use_expectation") {
			x = expected(m.Scope("self"), q, k, v, a, length)
		} else {
			x = nn.Approximated(m.Scope("self"), q, k, v, length, a.Dim, -1)
		}
		if b.Has("conv_window") {
			x = m.Residual(x, nn.HeadConv(m.Scope("self"), v, "conv", a, b.Size("conv_window")))
		}
		return m.Linear(x, a.O, a.Dim, a.Dim, true)
	}
	return s.model(b)
}

// expected weighs the values of all positions by that chance, which is a power of the angle between a query and a key.
func expected(b *Build, q, k, v Node, a nn.Attention, length int64) Node {
	unit := func(x Node) Node { // divided by its length, for which it is kept
		return b.Add("customModule", "normalize",
			Args{build.Ints("outShape", a.Heads, length, a.HeadDim), build.Int("numParams", 0), build.Int("flops", 0)},
			x)
	}
	q, k, v = unit(nn.InHeads(b, q, a.Heads, a.HeadDim)), unit(nn.InHeads(b, k, a.Heads, a.HeadDim)),
		nn.InHeads(b, v, a.Heads, a.HeadDim)
	// the angles are not kept: their gradient is computed otherwise
	chance := nn.Moved(b, nn.Times(b, q, k, true), "expectation", a.Heads, length, length)
	return nn.FromHeads(b, unit(nn.Times(b, chance, v, false)))
}
