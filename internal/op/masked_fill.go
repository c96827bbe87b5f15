package op

// maskedFillInPlace is Tensor.masked_fill_: it saves the mask, and its gradient is a copy with zeros there.
var maskedFillInPlace = &Op{
	Name:     "masked_fill_",
	View:     true,
	Saves:    maskedFill.Saves,
	Backward: func(_ *Step, g *Gradients) { g.New(0) },
	Forward:  1, Back: 1,
}

// MaskedFillInPlace puts a number where a mask says so.
func MaskedFillInPlace(p *Program, x, mask Value) Value {
	return p.do(maskedFillInPlace, Tensor{Shape: p.Shape(x), DType: p.Tensors[x].DType}, x, mask).Out
}
