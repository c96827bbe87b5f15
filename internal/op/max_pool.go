package op

// maxPool is torch.max_pool2d_with_indices and its kin: it saves what arrives and where each largest value was.
var maxPool = &Op{
	Name: "max_pool",
	Saves: func(_ *Step, save *Saved) {
		save.Input(0)
		save.Further()
	},
	Fits:    fitsAny,
	Forward: 1, Back: 1,
}

// MaxPool takes the largest value of windows.
func MaxPool(p *Program, x Value, shape ...int64) Value {
	s := p.do(maxPool, Tensor{Shape: shape}, x)
	p.keep(s, Int64, p.Tensors[x].Shared, shape...)
	return s.Out
}
