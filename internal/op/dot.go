package op

// dot is a product that is summed over the last axis: torch.mv, torch.vdot.
var dot = &Op{Name: "dot", Saves: savesFactors, Fits: fitsAny, Forward: 1, Back: 1}

// Dot multiplies and sums.
func Dot(p *Program, x, y Value, shape ...int64) Value {
	return p.do(dot, Tensor{Shape: shape}, x, y).Out
}
