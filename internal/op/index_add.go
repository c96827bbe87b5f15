package op

// indexAdd is Tensor.index_add: it saves the indices, and what is added, of which its backward pass reads the shape
// only.
var indexAdd = &Op{
	Name: "index_add",
	Saves: func(_ *Step, save *Saved) {
		save.Input(1)
		if save.Needs(2) {
			save.Input(2)
		}
	},
	Backward: func(_ *Step, g *Gradients) {
		g.New(2)
		g.Same(0)
	},
	Bound:   ByIndex,
	Forward: 2, Back: 1,
}

// IndexAdd adds rows to those of x that indices name.
func IndexAdd(p *Program, x, indices, rows Value) Value {
	return p.do(indexAdd, Tensor{Shape: p.Shape(x)}, x, indices, rows).Out
}
