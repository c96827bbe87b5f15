package op

// prelu is torch.prelu, which autocast runs in 16 bits. The gradient of the weight is made for every element,
// and summed.
var prelu = &Op{
	Name:     "prelu",
	Autocast: Lowers,
	Saves: func(_ *Step, save *Saved) {
		save.Input(0)
		save.Input(1)
	},
	Backward: func(s *Step, g *Gradients) {
		g.New(0)
		s.reduces(g, 1)
	},
	Forward: 1, Back: 2,
}

// PReLU has a weight for the slope below zero.
func PReLU(p *Program, x, weight Value) Value {
	return p.do(prelu, Tensor{Shape: p.Shape(x)}, x, weight).Out
}

// rrelu is torch.rrelu in training: it saves what arrives and the slopes that were drawn.
var rrelu = &Op{
	Name: "rrelu_with_noise",
	Saves: func(_ *Step, save *Saved) {
		save.Input(0)
		save.Further()
	},
	Forward: 1, Back: 1,
}

// RReLU has a slope below zero that is drawn for each element.
func RReLU(p *Program, x Value) Value {
	s := p.do(rrelu, Tensor{Shape: p.Shape(x)}, x)
	p.keep(s, Float, p.Tensors[x].Shared, p.Shape(x)...)
	return s.Out
}
