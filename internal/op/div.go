package op

// div is the quotient of two tensors, element by element. The gradient of the divisor is -grad * ((x / y) / y),
// whose three temporaries live until it is made.
var div = &Op{
	Name: "div",
	Saves: func(_ *Step, save *Saved) {
		save.Input(1)
		if save.Needs(1) {
			save.Input(0)
		}
	},
	Backward: func(s *Step, g *Gradients) {
		out := s.output()
		for k := range s.In {
			if k == 1 && g.Needs(k) {
				g.Holds(out.Elems(), Float, out.Shared)
				g.Holds(out.Elems(), Float, out.Shared)
				g.Holds(out.Elems(), Float, out.Shared)
			}
			if g.Needs(k) && s.spreads(k) {
				g.Holds(out.Elems(), Float, out.Shared) // summed over the axes that were broadcast
			}
			g.New(k)
		}
	},
	Fits:      fitsBroadcast,
	Pointwise: true,
	Forward:   1, Back: 5,
}

// Div divides two tensors; the smaller is broadcast.
func Div(p *Program, x, y Value) Value { return p.do(div, Tensor{Shape: broadcast(p, x, y)}, x, y).Out }
