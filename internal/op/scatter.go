package op

// scatterAdd sums rows into those that indices name. It saves the indices; the gradient of each row is read there.
var scatterAdd = &Op{
	Name:     "scatter_add",
	Saves:    func(_ *Step, save *Saved) { save.Input(1) },
	Backward: func(_ *Step, g *Gradients) { g.New(0) },
	Fits:     fitsAny,
	Bound:    ByIndex,
	Forward:  2, Back: 1,
}

// ScatterAdd sums rows into a tensor of zeros of a shape.
func ScatterAdd(p *Program, x, indices Value, shape ...int64) Value {
	return p.do(scatterAdd, Tensor{Shape: shape}, x, indices).Out
}

// scatterReduce takes the extreme of the rows. It saves what it begins with, the rows, the indices and the result.
var scatterReduce = &Op{
	Name: "scatter_reduce",
	Saves: func(_ *Step, save *Saved) {
		save.Input(0)
		save.Input(1)
		save.Output()
		save.Further()
	},
	Backward: func(s *Step, g *Gradients) {
		for range 2 { // where the result was found, and how often
			g.Holds(s.input(0).Elems(), Float, s.input(0).Shared)
		}
		g.New(0)
	},
	Fits:    fitsAny,
	Bound:   ByIndex,
	Forward: 2, Back: 8,
}

// ScatterReduce takes the extreme of the rows that indices send to each row of the result.
func ScatterReduce(p *Program, x, indices Value, shape ...int64) Value {
	s := p.do(scatterReduce, Tensor{Shape: shape}, x, indices)
	p.keep(s, Float, p.Tensors[x].Shared, shape...)
	return s.Out
}

// scatter and addAt are torch.scatter and torch.scatter_add: a copy with entries of another tensor at the places that indices name. The gradient
// of the copy is zero where something was written; that of the entries is read at the indices.
var (
	scatter = &Op{
		Name:  "scatter",
		Saves: func(_ *Step, save *Saved) { save.Input(1) },
		Backward: func(_ *Step, g *Gradients) {
			g.New(0)
			g.New(2)
		},
		Forward: 2, Back: 3,
	}
	addAt = &Op{
		Name:  "scatter_add",
		Saves: scatter.Saves,
		Backward: func(_ *Step, g *Gradients) {
			g.Same(0)
			g.New(2)
		},
		Forward: 2, Back: 1,
	}
)

// Scatter writes entries into x, or adds them.
func Scatter(p *Program, x, indices, entries Value, add bool) Value {
	o := scatter
	if add {
		o = addAt
	}
	return p.do(o, Tensor{Shape: p.Shape(x)}, x, indices, entries).Out
}
