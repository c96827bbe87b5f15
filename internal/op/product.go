package op

// product is a linear layer of what does not lie in rows: torch.matmul, and a bias that is added to its result in place.
var product = &Op{
	Name:     "matmul with a weight",
	Autocast: Lowers,
	Saves:    savesFactors,
	Backward: func(s *Step, g *Gradients) {
		if len(s.In) > 2 && g.Needs(2) {
			g.Passing(g.Card.SumWorkspace(s.N[0]*g.Batch, s.N[2]))
			g.New(2)
		}
		g.Holds(s.output().Elems(), Float, false) // the gradient in rows
		g.New(1)
		g.New(0)
	},
	FLOPs:   func(s *Step) int64 { return countOf(2, s.N[0], s.N[1], s.N[2]) },
	Fits:    fitsLinear,
	Bound:   ByProduct,
	Matrix:  rowsByWeight,
	Forward: 2, Back: 3,
}

// Product is such a map.
func Product(p *Program, x, weight, bias Value) Value {
	v := Linear(p, x, weight, bias)
	p.Steps[len(p.Steps)-1].Op = product
	return v
}
