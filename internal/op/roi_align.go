package op

// roiAlign is torchvision.ops.roi_align, which runs in 32 bits. It saves the boxes, and gives them no gradient.
var roiAlign = &Op{
	Name:     "roi_align",
	Autocast: Widens,
	Saves:    func(_ *Step, save *Saved) { save.Input(1) },
	Backward: func(_ *Step, g *Gradients) { g.New(0) },
	Fits:     fitsAny,
	Forward:  1, Back: 1,
}

// RoIAlign cuts regions out of images.
func RoIAlign(p *Program, x, boxes Value, shape ...int64) Value {
	return p.do(roiAlign, Tensor{Shape: shape}, x, boxes).Out
}
