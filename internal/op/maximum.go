package op

// maximum is torch.maximum or torch.minimum: which of the two was taken, and where they are equal, is computed
// again of both (where(x == y, grad / 2, grad).masked_fill_(x < y, 0)).
var maximum = &Op{
	Name: "maximum",
	Saves: func(_ *Step, save *Saved) {
		save.Input(0)
		save.Input(1)
	},
	Backward: func(s *Step, g *Gradients) {
		out := s.output()
		for k := range s.In {
			if !g.Needs(k) {
				continue
			}
			g.Holds(out.Elems(), Byte, out.Shared)
			g.Holds(out.Elems(), Float, out.Shared)
			s.reduces(g, k)
			g.Drops()
			g.Drops()
		}
	},
	Fits:    fitsBroadcast,
	Forward: 1, Back: 8,
}

// Maximum is the larger, or the smaller, of two tensors element by element.
func Maximum(p *Program, x, y Value) Value {
	return p.do(maximum, Tensor{Shape: broadcast(p, x, y)}, x, y).Out
}
