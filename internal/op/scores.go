package op

// Scores is the product of queries and keys, head by head, to which torch.baddbmm adds a mask where there is one.
func Scores(p *Program, q, k, mask Value, h Heads) Value {
	in := []Value{q, k}
	if mask != None {
		in = append(in, mask)
	}
	s := p.do(bmm, Tensor{Shape: []int64{h.Count, h.Queries, h.Keys}}, in...)
	s.N = [5]int64{h.Count, h.Queries, h.Features, h.Keys}
	return s.Out
}

// Weigh is the product of weights with values.
func Weigh(p *Program, weights, v Value, h Heads) Value {
	s := p.do(bmm, Tensor{Shape: []int64{h.Count, h.Queries, h.Values}}, weights, v)
	s.N = [5]int64{h.Count, h.Queries, h.Keys, h.Values}
	return s.Out
}

// maskedFill saves the mask.
var maskedFill = &Op{Name: "masked_fill", Saves: func(_ *Step, save *Saved) { save.Input(1) }, Forward: 1, Back: 1}

// MaskedFill is a tensor with a number where a mask says so.
func MaskedFill(p *Program, x, mask Value) Value {
	return p.do(maskedFill, Tensor{Shape: p.Shape(x)}, x, mask).Out
}

// fillInPlace is x[...] = full.where(mask, x[...]): it saves the mask, and takes the part out of a copy of the gradient.
var fillInPlace = &Op{Name: "where", View: true, Pointwise: true, Saves: savesFurther, Forward: 2, Back: 2}

// FillInPlace fills a part of a tensor where a mask of its shape says so.
func FillInPlace(p *Program, x Value, shape ...int64) Value {
	s := p.do(fillInPlace, Tensor{Shape: p.Shape(x), DType: p.Tensors[x].DType}, x)
	p.keep(s, Byte, false, shape...)
	return s.Out
}

// ConstantLike is a constant of floats as wide as those of another tensor.
func ConstantLike(p *Program, x Value, shape ...int64) Value {
	return Constant(p, floatOf(p.Width(x)), true, shape...)
}

// detached is a sum of a tensor for which no gradient is wanted.
var detached = &Op{Name: "sum", Autocast: WidensInside, Detaches: true, Fits: fitsReduced, Bound: ByReduction, Forward: 3}

// SumWithoutGradient is a function of x.detach().sum().
func SumWithoutGradient(p *Program, x Value, shape ...int64) Value {
	return p.do(detached, Tensor{Shape: shape}, x).Out
}
