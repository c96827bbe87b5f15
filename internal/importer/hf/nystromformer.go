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
	const rounds, products = 6, 4 // of the iteration that finds the inverse
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
	inverse := b.Add("customModule", "iterative_inv", Args{Ints("outShape", a.Heads, count, count), Int("numParams", 0),
		Int("flops", 2*rounds*products*a.Heads*count*count*count)}, b.weighted(b.times(qs, ks, true)))
	x := b.times(b.weighted(b.times(q, ks, true)), inverse, false)
	return b.fromHeads(b.times(x, b.times(b.weighted(b.times(qs, k, true)), v, false), false))
}
