package op

// solveTriangular is torch.linalg.solve_triangular: it saves the matrices and the result, and its backward pass solves with the transposed ones
// and multiplies what that gives with the result.
var solveTriangular = &Op{
	Name: "linalg_solve_triangular",
	Saves: func(_ *Step, save *Saved) {
		save.Input(0)
		save.Output()
	},
	Backward: func(s *Step, g *Gradients) {
		g.New(1)
		if g.Needs(0) {
			g.Holds(s.input(0).Elems(), Float, s.input(0).Shared)
			g.New(0)
		}
	},
	Fits:    func(s *Step) bool { return s.input(1).Elems() == s.output().Elems() },
	Forward: 2, Back: 4,
}

// SolveTriangular solves triangular matrices for right-hand sides.
func SolveTriangular(p *Program, matrices, sides Value) Value {
	return p.do(solveTriangular, Tensor{Shape: p.Shape(sides)}, matrices, sides).Out
}

// setPart is an assignment to a part of a tensor, x[i] = y. Autograd clones the gradient of the whole for it (CopySlices).
var setPart = &Op{
	Name: "copy_",
	View: true,
	Backward: func(_ *Step, g *Gradients) {
		g.New(0)
		g.New(1)
	},
	Fits:    func(s *Step) bool { return s.input(1).Elems() <= s.output().Elems() },
	Forward: 1, Back: 3,
}

// SetPart assigns y to a part of x.
func SetPart(p *Program, x, y Value) Value {
	return p.do(setPart, Tensor{Shape: p.Shape(x), DType: p.Tensors[x].DType}, x, y).Out
}
