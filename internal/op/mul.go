package op

// mul is the product of two tensors, element by element.
var mul = &Op{
	Name:  "mul",
	Saves: savesFactors,
	Backward: func(s *Step, g *Gradients) {
		out := s.output()
		for k := range s.In {
			if g.Needs(k) && s.spreads(k) {
				g.Holds(out.Elems(), Float, out.Shared)
			} else {
				g.New(k)
			}
		}
		for k := range s.In { // when all are there, autograd sums over the axes that were broadcast
			if s.spreads(k) {
				s.sums(g, k)
			}
		}
	},
	Fits:      fitsBroadcast,
	Pointwise: true,
	Forward:   1, Back: 2,
}

// Mul multiplies two tensors; the smaller is broadcast.
func Mul(p *Program, x, y Value) Value { return p.do(mul, Tensor{Shape: broadcast(p, x, y)}, x, y).Out }
