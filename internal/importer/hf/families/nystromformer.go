package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "nystromformer", Default: "NystromformerForMaskedLM",
	Classes: stack.Encoder{Prefix: "nystromformer", Model: nystromformer,
		Words: stack.BertWords}.Classes("Nystromformer", stack.MaskedLM, stack.TokenClassification)})

// nystromformer is BERT whose attention goes through a few landmarks, the means of equal pieces of the text, and adds a
// convolution of the values.
func nystromformer(b *Build) (x, table Node) {
	s := Bert{Skip: 2, Single: true}
	s.Attend = func(m *Build, x Node, a nn.Attention) Node {
		q, k, v := nn.Project(m, x, a)
		y := m.Scope("self")
		x = landmarks(y, q, k, v, a)
		if b.Has("conv_kernel_size") {
			x = y.Residual(x, nn.HeadConv(y, v, "conv", a, b.Size("conv_kernel_size")))
		}
		return m.Linear(x, a.O, a.Dim, a.Dim, true)
	}
	return s.model(b)
}

func landmarks(b *Build, q, k, v Node, a nn.Attention) Node {
	count, pieces := b.Size("num_landmarks"), b.Size("segment_means_seq_len")
	if count == pieces {
		return b.Core(q, k, v, a.Heads, a.Heads, false)
	}
	q, k, v = nn.InHeads(b, q, a.Heads, a.HeadDim), nn.InHeads(b, k, a.Heads, a.HeadDim),
		nn.InHeads(b, v, a.Heads, a.HeadDim)
	means := func(x Node) Node {
		x = b.Reshape(x, a.Heads, count, pieces/count, a.HeadDim)
		return b.Add("mean", "", Args{build.Int("dim", 3)}, x)
	}
	qs, ks := means(q), means(k)
	x := nn.Times(b, nn.Weighted(b, nn.Times(b, q, ks, true)),
		inverse(b, nn.Weighted(b, nn.Times(b, qs, ks, true)), a.Heads, count), false)
	return nn.FromHeads(b, nn.Times(b, x, nn.Times(b, nn.Weighted(b, nn.Times(b, qs, k, true)), v, false), false))
}

// inverse comes closer to that of a matrix in each round, by products with what is left to a multiple of the unit
// matrix.
func inverse(b *Build, x Node, heads, count int64) Node {
	const rounds = 6
	m := b.Scope("iterative_inv")
	unit := m.Constant(x, "", 1, count, count)
	rest := func(y Node) Node { return m.Add("subtract", "", nil, unit, y) }
	y := nn.Moved(m, x, "", heads, count, count) // transposed, and divided by its largest sums
	for range rounds {
		both := nn.Times(m, x, y, false)
		y = nn.Times(m, nn.Moved(m, y, "", heads, count, count),
			rest(nn.Times(m, both, rest(nn.Times(m, both, rest(both), false)), false)), false)
	}
	return y
}
