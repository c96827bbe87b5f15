package op

import "slices"

// linear is torch.nn.functional.linear: a product of the last axis with a matrix, and a bias in the same kernel.
var linear = &Op{
	Name:     "linear",
	Autocast: Lowers,
	Saves: func(_ *Step, save *Saved) {
		if save.Needs(0) {
			save.Input(1)
		}
		if save.Needs(1) {
			save.Input(0)
		}
	},
	Backward: func(s *Step, g *Gradients) {
		g.New(0)
		g.Viewed(1) // of weight.t()
		if len(s.In) > 2 && g.Needs(2) {
			g.Ends()
			g.Passing(g.Card.SumWorkspace(s.N[0]*g.Batch, s.N[2]))
			g.New(2)
		}
	},
	FLOPs:   func(s *Step) int64 { return countOf(2, s.N[0], s.N[1], s.N[2]) },
	Fits:    fitsLinear,
	Bound:   ByProduct,
	Matrix:  rowsByWeight,
	Forward: 1, Back: 2,
}

// rowsByWeight is the rows of all samples with one matrix.
func rowsByWeight(s *Step, batch int64) Matrix { return Matrix{1, s.N[0] * batch, s.N[1], s.N[2]} }

// fitsLinear holds the last axes to the weight, and the bias to the result.
func fitsLinear(s *Step) bool {
	x, w, out := s.input(0).Shape, s.input(1).Shape, s.output().Shape
	last := len(x) - 1
	return len(out) == len(x) && slices.Equal(out[:last], x[:last]) && x[last] == w[1] && out[last] == w[0] &&
		(len(s.In) < 3 || slices.Equal(s.input(2).Shape, w[:1]))
}

// Linear multiplies the last axis of x with a weight of (out, in), and adds a bias where there is one.
func Linear(p *Program, x, weight, bias Value) Value {
	shape, w := p.Shape(x), p.Shape(weight)
	if p.Tensors[x].Strided && len(shape) > 1 {
		x = InRows(p, x, shape...)
	}
	in := [...]Value{x, weight, bias}
	count := len(in)
	if bias == None {
		count--
	}
	s := p.do(linear, Tensor{Shape: p.dimensions(shape[:len(shape)-1], w[0])}, in[:count]...)
	s.N = [5]int64{p.Elems(x) / max(1, w[1]), w[1], w[0]}
	return s.Out
}

// LastLinear is the last step of a program where that is a linear layer that gives its result, and nil where it is not.
func (p *Program) LastLinear() *Step {
	if n := len(p.Steps); n > 0 && p.Steps[n-1].Op == linear && p.Steps[n-1].Out == p.Out {
		return &p.Steps[n-1]
	}
	return nil
}
