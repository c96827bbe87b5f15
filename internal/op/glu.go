package op

// glu is torch.nn.functional.glu: one half of an axis times the sigmoid of the other. It saves what arrives.
var glu = &Op{
	Name:    "glu",
	Saves:   savesInput,
	Fits:    func(s *Step) bool { return 2*s.output().Elems() == s.input(0).Elems() },
	Forward: 1, Back: 1,
}

// GLU halves an axis.
func GLU(p *Program, x Value, shape ...int64) Value { return p.do(glu, Tensor{Shape: shape}, x).Out }
