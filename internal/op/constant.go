package op

// constant makes a tensor of nothing, as torch.full and torch.arange do.
var constant = &Op{Name: "full", Fits: func(s *Step) bool { return len(s.In) == 0 }, Forward: 1}

// leaf is a tensor that autograd holds for its gradient (AccumulateGrad), as it holds a weight.
var leaf = &Op{Name: "requires_grad_", Leaf: true, Saves: savesOutput, Fits: constant.Fits, Forward: 1}

// Leaf is a tensor that is made of nothing and requires a gradient; in use it is a constant.
func Leaf(p *Program, dtype DType, shape ...int64) Value {
	if p.Eval {
		return Constant(p, dtype, false, shape...)
	}
	return p.do(leaf, Tensor{Shape: shape, DType: dtype}).Out
}

// Constant is a tensor that is computed anew in every pass and not trained, one for all samples where it is shared.
func Constant(p *Program, dtype DType, shared bool, shape ...int64) Value {
	return p.do(constant, Tensor{Shape: shape, DType: dtype, Shared: shared}).Out
}
