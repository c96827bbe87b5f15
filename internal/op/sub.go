package op

// sub is the difference of two tensors: the gradient of the second is that of the result with the other sign.
var sub = &Op{
	Name: "sub",
	Backward: func(s *Step, g *Gradients) {
		if s.spreads(0) {
			g.New(0)
		} else {
			g.Same(0)
		}
		s.reduces(g, 1)
	},
	Fits:      fitsBroadcast,
	Pointwise: true,
	Forward:   1, Back: 1,
}

// Sub takes y from x; the smaller is broadcast.
func Sub(p *Program, x, y Value) Value { return p.do(sub, Tensor{Shape: broadcast(p, x, y)}, x, y).Out }

// spreads reports whether an input is broadcast.
func (s *Step) spreads(k int) bool {
	return s.input(k).Elems() < s.output().Elems() || s.input(k).Shared && !s.output().Shared
}

// reduces makes the gradient of an input, of one that was broadcast by way of one like the result.
func (s *Step) reduces(g *Gradients, k int) {
	if g.Needs(k) && s.spreads(k) {
		g.Holds(s.output().Elems(), Float, s.output().Shared)
		g.New(k)
		g.Drops()
	} else {
		g.New(k)
	}
}
