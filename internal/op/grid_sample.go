package op

// gridSample is torch.grid_sampler: it saves the image and where it is read.
var gridSample = &Op{
	Name: "grid_sampler",
	Saves: func(_ *Step, save *Saved) {
		save.Input(0)
		save.Input(1)
	},
	Fits:    fitsAny,
	Forward: 1, Back: 2,
}

// GridSample reads an image at positions.
func GridSample(p *Program, x, grid Value, shape ...int64) Value {
	return p.do(gridSample, Tensor{Shape: shape}, x, grid).Out
}
