package hf

var _ = define(Family{Type: "nystromformer", Default: "NystromformerForMaskedLM",
	Classes: Encoder{Prefix: "nystromformer", Model: nystromformer, Words: bertWords}.classes("Nystromformer", masked, tokens)})

// nystromformer is BERT whose attention goes through a few landmarks, the means of equal pieces of the text, and adds a
// convolution of the values.
func nystromformer(b *Build) (x, table Node) {
	s := Bert{Skip: 2, Single: true}
	s.Attend = func(m *Build, x Node, a Attention) Node {
		q, k, v := m.project(x, a)
		y := m.Scope("self")
		x = y.landmarks(q, k, v, a)
		if b.Has("conv_kernel_size") {
			x = y.Residual(x, y.headConv(v, "conv", a, b.Size("conv_kernel_size")))
		}
		return m.Linear(x, a.O, a.Dim, a.Dim, true)
	}
	return s.model(b)
}

func (b *Build) landmarks(q, k, v Node, a Attention) Node {
	count, pieces := b.Size("num_landmarks"), b.Size("segment_means_seq_len")
	if count == pieces {
		return b.Core(q, k, v, a.Heads, a.Heads, false)
	}
	q, k, v = b.inHeads(q, a.Heads, a.HeadDim), b.inHeads(k, a.Heads, a.HeadDim), b.inHeads(v, a.Heads, a.HeadDim)
	means := func(x Node) Node {
		x = b.Add("reshape", "", Args{Ints("shape", a.Heads, count, pieces/count, a.HeadDim)}, x)
		return b.Add("mean", "", Args{Int("dim", 3)}, x)
	}
	qs, ks := means(q), means(k)
	x := b.times(b.weighted(b.times(q, ks, true)), b.inverse(b.weighted(b.times(qs, ks, true)), a.Heads, count), false)
	return b.fromHeads(b.times(x, b.times(b.weighted(b.times(qs, k, true)), v, false), false))
}

// inverse comes closer to that of a matrix in each round, by products with what is left to a multiple of the unit matrix.
func (b *Build) inverse(x Node, heads, count int64) Node {
	const rounds = 6
	m := b.Scope("iterative_inv")
	unit := m.Add("parameter", "", Args{Ints("shape", 1, count, count), Flag("trainable", false)}, x)
	rest := func(y Node) Node { return m.Add("subtract", "", nil, unit, y) }
	y := m.moved(x, "", heads, count, count) // turned, and divided by its largest sums
	for range rounds {
		both := m.times(x, y, false)
		y = m.times(m.moved(y, "", heads, count, count), rest(m.times(both, rest(m.times(both, rest(both), false)), false)), false)
	}
	return y
}
