package op

// nonzero is where a tensor of choices equals a number: (chosen == n).nonzero().
var nonzero = &Op{Name: "nonzero", Detaches: true, Fits: fitsAny, Waits: true, Forward: 4}

// Nonzero is the indices of so many places.
func Nonzero(p *Program, x Value, shape ...int64) Value {
	return p.do(nonzero, Tensor{Shape: shape, DType: Int64}, x).Out
}

// zerosLike is torch.zeros_like.
var zerosLike = &Op{Name: "zeros_like", Autocast: Follows, Detaches: true, Forward: 1}

// ZerosLike is zeros in the shape and the width of a tensor.
func ZerosLike(p *Program, x Value) Value {
	return p.do(zerosLike, Tensor{Shape: p.Shape(x)}, x).Out
}

// flags is a comparison with a number.
var flags = &Op{Name: "eq", Detaches: true, Fits: fitsAny, Forward: 1}

// Flags is truth values of a shape, which are computed of a tensor.
func Flags(p *Program, x Value, shape ...int64) Value {
	return p.do(flags, Tensor{Shape: shape, DType: Byte}, x).Out
}
