package op

// reshaped is a view whose gradient does not lie in the order of what it is a view of, so that torch.reshape
// copies it.
var reshaped = &Op{Name: "view", View: true, Fits: fitsElems, Back: 1}

// Reshaped is a view of another shape whose gradient is copied.
func Reshaped(p *Program, x Value, shape ...int64) Value {
	return p.do(reshaped, Tensor{Shape: shape, DType: p.Tensors[x].DType}, x).Out
}

// inRows is the copy that torch.matmul makes of what does not lie in rows, behind the cast of autocast.
var inRows = &Op{Name: "reshape", Autocast: Lowers, Backward: func(_ *Step, g *Gradients) { g.Same(0) }, Fits: fitsElems, Forward: 1}

// InRows is such a copy.
func InRows(p *Program, x Value, shape ...int64) Value {
	return p.do(inRows, Tensor{Shape: shape, DType: p.Tensors[x].DType}, x).Out
}

// transposed is a view with axes in another order. Its gradient lies so, too, and is copied by what reads it.
var transposed = &Op{Name: "transpose", View: true, Fits: fitsElems, Back: 1}

// Transposed is such a view.
func Transposed(p *Program, x Value, shape ...int64) Value {
	v := p.do(transposed, Tensor{Shape: shape, DType: p.Tensors[x].DType}, x).Out
	p.Tensors[v].Strided = !p.Tensors[x].Strided
	return v
}

// Reshape is torch.reshape: a view where the elements lie in order or axes are only cut, else a copy.
func Reshape(p *Program, x Value, shape ...int64) Value {
	if p.Tensors[x].Strided && cuts(p.Shape(x), shape) {
		return Permuted(p, x, shape...)
	}
	if p.Tensors[x].Strided {
		return Contiguous(p, x, shape...)
	}
	return View(p, x, shape...)
}

// cuts reports whether a shape has all axes of another, each whole or cut into several.
func cuts(whole, shape []int64) bool {
	k := 0
	for _, n := range whole {
		product := int64(1)
		for product < n && k < len(shape) {
			product *= shape[k]
			k++
		}
		if product != n {
			return false
		}
	}
	return true
}

// split is the parts of a tensor, whose gradients are put together when all are there. Its result is the whole,
// of which others are parts.
var split = &Op{Name: "split", View: true, Back: 1}

var part = &Op{Name: "split", View: true, Backward: func(_ *Step, g *Gradients) { g.Joins(0) }, Fits: fitsAny}

// Split is torch.split: views of parts with these shapes.
func Split(p *Program, x Value, shapes ...[]int64) []Value {
	whole := p.do(split, Tensor{Shape: p.Shape(x), DType: p.Tensors[x].DType}, x).Out
	out := make([]Value, len(shapes))
	for k, shape := range shapes {
		out[k] = p.do(part, Tensor{Shape: shape, DType: p.Tensors[x].DType}, whole).Out
	}
	return out
}
