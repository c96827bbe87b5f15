package op

// nearest is what takes vectors to the nearest rows of a table, under torch.no_grad: distances by a product, the smallest of each, and the rows.
var nearest = &Op{
	Name:     "nearest",
	Autocast: Lowers,
	Detaches: true,
	Workspace: func(s *Step, batch, width int64) int64 { // the distances, and the product that is taken from them
		return 2 * s.N[0] * s.N[2] * batch * width
	},
	FLOPs:   func(s *Step) int64 { return countOf(2, s.N[0], s.N[1], s.N[2]) },
	Forward: 9,
}

// Nearest is the change that takes vectors of the last axis to the nearest rows of a table of (rows, features). It has no gradient.
func Nearest(p *Program, x, table Value) Value {
	rows := p.Shape(table)
	s := p.do(nearest, Tensor{Shape: p.Shape(x)}, x, table)
	s.N = [5]int64{p.Elems(x) / max(1, rows[1]), rows[1], rows[0]}
	return s.Out
}
