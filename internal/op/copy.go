package op

// copied is elements in another order or several times: torch.roll, flip and repeat. The gradient is put back,
// or summed.
var copied = &Op{
	Name:    "copy",
	Fits:    func(s *Step) bool { return s.output().Elems()%max(1, s.input(0).Elems()) == 0 },
	Forward: 1, Back: 1,
}

// Copied is such a tensor.
func Copied(p *Program, x Value, shape ...int64) Value {
	return p.do(copied, Tensor{Shape: shape, DType: p.Tensors[x].DType}, x).Out
}

// expanded is a view of one tensor for all samples. The gradient is summed over them.
var expanded = &Op{Name: "expand", View: true, Fits: fitsElems, Back: 1}

// Expanded is a tensor without a batch axis, seen once for each sample.
func Expanded(p *Program, x Value, shape ...int64) Value {
	v := p.do(expanded, Tensor{Shape: shape, DType: p.Tensors[x].DType}, x).Out
	p.Tensors[v].Shared = false
	return v
}

// piece is one of the views that torch.split gives. The backward pass makes zeros for the others, and puts all
// together.
var piece = &Op{
	Name: "split",
	View: true,
	Backward: func(s *Step, g *Gradients) {
		if rest := s.input(0).Elems() - s.output().Elems(); rest > 0 {
			g.Holds(rest, Float, s.output().Shared)
		}
		g.New(0)
	},
	Fits: func(s *Step) bool { return s.output().Elems() <= s.input(0).Elems() },
	Back: 2,
}

// Piece is the only one of them that is used.
func Piece(p *Program, x Value, shape ...int64) Value {
	return p.do(piece, Tensor{Shape: shape, DType: p.Tensors[x].DType}, x).Out
}

// padded has zeros behind the last axis; its gradient is a part of the result's.
var padded = &Op{
	Name:     "constant_pad_nd",
	Backward: func(_ *Step, g *Gradients) { g.New(0) },
	Fits:     func(s *Step) bool { return s.output().Elems() >= s.input(0).Elems() },
	Forward:  2, Back: 1,
}

// Padded is a tensor with zeros around it.
func Padded(p *Program, x Value, shape ...int64) Value {
	return p.do(padded, Tensor{Shape: shape}, x).Out
}

// inFloat32 is x.float().
var inFloat32 = &Op{Name: "to", Fits: fitsElems, Forward: 1, Back: 1}

// Copied32 is a tensor in 32-bit floats, and in another shape.
func Copied32(p *Program, x Value, shape ...int64) Value {
	return p.do(inFloat32, Tensor{Shape: shape, DType: Float32}, x).Out
}
