package hf

var _ = define(Family{Type: "yoso", Default: "YosoForMaskedLM", Classes: Encoder{Prefix: "yoso", Model: yoso, Words: bertWords}.classes("Yoso", masked, tokens)})

// yoso is BERT whose attention weights are the chance that two positions fall into the same bucket of a hash: computed for each
// pair with use_expectation, else estimated by hashing.
func yoso(b *Build) (x, table Node) {
	s := Bert{Skip: 2, Single: true}
	length := b.Length(s.longest(b))
	s.Attend = func(m *Build, x Node, a Attention) Node {
		q, k, v := m.project(x, a)
		if b.Bool("use_expectation") {
			x = m.Scope("self").expected(q, k, v, a, length)
		} else {
			x = m.Scope("self").approximated(q, k, v, length, a.Dim, -1)
		}
		if b.Has("conv_window") {
			x = m.Residual(x, m.Scope("self").headConv(v, "conv", a, b.Size("conv_window")))
		}
		return m.Linear(x, a.O, a.Dim, a.Dim, true)
	}
	return s.model(b)
}

// expected weighs the values of all positions by that chance, which is a power of the angle between a query and a key.
func (b *Build) expected(q, k, v Node, a Attention, length int64) Node {
	unit := func(x Node) Node { // divided by its length, for which it is kept
		return b.Add("customModule", "normalize", Args{Ints("outShape", a.Heads, length, a.HeadDim), Int("numParams", 0), Int("flops", 0)}, x)
	}
	q, k, v = unit(b.inHeads(q, a.Heads, a.HeadDim)), unit(b.inHeads(k, a.Heads, a.HeadDim)), b.inHeads(v, a.Heads, a.HeadDim)
	chance := b.moved(b.times(q, k, true), "expectation", a.Heads, length, length) // the angles are not kept: their gradient is computed otherwise
	return b.fromHeads(unit(b.times(chance, v, false)))
}
