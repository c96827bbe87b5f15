package op

// asStrided is torch.as_strided: places that may overlap in the storage of a tensor. The backward pass adds the gradients of a place up.
var asStrided = &Op{Name: "as_strided", View: true, Fits: fitsAny, Back: 2}

// AsStrided is such a view.
func AsStrided(p *Program, x Value, shape ...int64) Value {
	v := p.do(asStrided, Tensor{Shape: shape, DType: p.Tensors[x].DType}, x).Out
	p.Tensors[v].Strided = true
	return v
}

// copySlices is parts of a tensor that are copied into zeros, y[...] = x. Its backward pass takes them out of a copy of the gradient.
var copySlices = &Op{
	Name: "CopySlices",
	Backward: func(s *Step, g *Gradients) {
		g.Holds(s.output().Elems(), Float, s.output().Shared)
		g.New(0)
	},
	Fits:    fitsAny,
	Forward: 2, Back: 3,
}

// CopySlices is a tensor into which parts of another are copied.
func CopySlices(p *Program, x Value, shape ...int64) Value {
	return p.do(copySlices, Tensor{Shape: shape}, x).Out
}
