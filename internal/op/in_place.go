package op

// Operations with inplace=True: the result lies in the storage of the input. A gradient that is computed of the
// result needs nothing more; for one that is computed of the input autograd first clones it.
var (
	inPlaceOutput = &Op{Name: "relu_", View: true, Pointwise: true, Saves: savesOutput, Forward: 1, Back: 1}
	inPlaceInput  = &Op{Name: "silu_", View: true, Pointwise: true, Saves: savesFurther, Forward: 2, Back: 1}
	addInPlace    = &Op{
		Name:      "add_",
		Autocast:  Follows,
		View:      true,
		Pointwise: true,
		Backward:  add.Backward,
		Fits:      fitsBroadcast,
		Forward:   1,
	}
)

// OfOutputInPlace is a function like ReLU with inplace=True.
func OfOutputInPlace(p *Program, x Value) Value {
	return p.do(inPlaceOutput, Tensor{Shape: p.Shape(x)}, x).Out
}

// OfInputInPlace is a function like SiLU with inplace=True.
func OfInputInPlace(p *Program, x Value) Value {
	s := p.do(inPlaceInput, Tensor{Shape: p.Shape(x)}, x)
	if !p.Eval {
		p.keep(s, Float, p.Tensors[x].Shared, p.Shape(x)...)
	}
	return s.Out
}

// AddInPlace adds y to x, which keeps its width.
func AddInPlace(p *Program, x, y Value) Value {
	return p.do(addInPlace, Tensor{Shape: p.Shape(x)}, x, y).Out
}
