package op

// add is the sum of two tensors. It saves nothing: both gradients are that of the result.
var add = &Op{
	Name: "add",
	Backward: func(s *Step, g *Gradients) {
		for k := range s.In {
			if s.input(k).Elems() < s.output().Elems() || s.input(k).Shared && !s.output().Shared {
				s.sums(g, k)
			} else {
				g.Same(k)
			}
		}
	},
	Fits:      fitsBroadcast,
	Pointwise: true,
	Forward:   1,
}

// Add adds two tensors; the smaller is broadcast.
func Add(p *Program, x, y Value) Value { return p.do(add, Tensor{Shape: broadcast(p, x, y)}, x, y).Out }

// broadcast is the shape of an elementwise result: axes are counted from the last, and one of size 1 takes any size.
func broadcast(p *Program, x, y Value) []int64 {
	a, b := p.Shape(x), p.Shape(y)
	if len(b) > len(a) {
		a, b = b, a
	}
	shape := p.dimensions(a)
	for k := range b {
		if at := len(a) - len(b) + k; shape[at] == 1 {
			shape[at] = b[k]
		}
	}
	return shape
}

// fitsBroadcast holds every input to the shape of the result.
func fitsBroadcast(s *Step) bool {
	shape := s.output().Shape
	for k := range s.In {
		in := s.input(k).Shape
		if len(in) > len(shape) {
			return false
		}
		for i, n := range in {
			if n != 1 && n != shape[len(shape)-len(in)+i] {
				return false
			}
		}
	}
	return true
}
