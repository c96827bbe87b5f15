package op

// weightNorm is torch._weight_norm: a direction v and a length g for each row. It saves both, and the norms of v.
var weightNorm = &Op{
	Name: "_weight_norm",
	Saves: func(_ *Step, save *Saved) {
		save.Input(0)
		save.Input(1)
		save.Further()
	},
	Forward: 1, Back: 1,
}

// WeightNorm gives rows of a weight their lengths.
func WeightNorm(p *Program, direction, length Value) Value {
	s := p.do(weightNorm, Tensor{Shape: p.Shape(direction)}, direction, length)
	p.keep(s, Float, true, p.Elems(length))
	return s.Out
}
