package hf

var _ = define(Family{Type: "yoso", Default: "YosoForMaskedLM", Classes: Encoder{Prefix: "yoso", Model: yoso, Words: bertWords}.classes("Yoso", masked, tokens)})

// yoso is BERT whose attention weights are the chance that two positions fall into the same bucket of a hash: computed for each
// pair with use_expectation, else estimated by hashing.
func yoso(b *Build) (x, table Node) {
	s := Bert{Skip: 2, Single: true}
	length := b.Length(s.longest(b))
	s.Attend = func(m *Build, x Node, a Attention) Node {
		q, k, v := m.project(x, a)
		flops := int64(-1)
		if b.Bool("use_expectation") {
			flops = 4 * length * length * a.Dim
		}
		x = m.Scope("self").approximated(q, k, v, length, a.Dim, flops)
		if b.Has("conv_window") {
			x = m.Residual(x, m.Scope("self").headConv(v, "conv", a, b.Size("conv_window")))
		}
		return m.Linear(x, a.O, a.Dim, a.Dim, true)
	}
	return s.model(b)
}
