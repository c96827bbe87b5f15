package op

// softmax is torch.softmax. Its backward pass multiplies the gradient with the result into a tensor of its own.
var softmax = &Op{
	Name:     "softmax",
	Autocast: Widens,
	Saves:    savesOutput,
	Backward: func(s *Step, g *Gradients) {
		g.New(0)
		g.Holds(s.output().Elems(), Float, s.output().Shared)
	},
	Bound:   ByReduction,
	Forward: 1, Back: 2,
}

// Softmax is the softmax of an axis.
func Softmax(p *Program, x Value) Value { return p.do(softmax, Tensor{Shape: p.Shape(x)}, x).Out }

// softmaxIn is torch.softmax with a dtype, which autocast leaves as it is asked for.
var softmaxIn = &Op{Name: "softmax", Saves: savesOutput, Backward: softmax.Backward, Bound: ByReduction, Forward: 1, Back: 2}

// SoftmaxIn is the softmax of an axis in floats of a width.
func SoftmaxIn(p *Program, x Value, width int64) Value {
	x = To(p, x, width)
	return p.do(softmaxIn, Tensor{Shape: p.Shape(x)}, x).Out
}

// wideLogSoftmax is torch.log_softmax outside of cross_entropy.
var wideLogSoftmax = &Op{Name: "log_softmax", Autocast: Widens, Saves: savesOutput, Bound: ByReduction, Forward: 1, Back: 1}

// LogSoftmax is the logarithm of the softmax of an axis.
func LogSoftmax(p *Program, x Value) Value {
	return p.do(wideLogSoftmax, Tensor{Shape: p.Shape(x)}, x).Out
}

// safeSoftmax is _safe_softmax: a softmax, and a byte for each score that says whether it is minus infinity.
var safeSoftmax = &Op{
	Name:     "_safe_softmax",
	Saves:    savesOutput,
	Backward: softmax.Backward,
	Workspace: func(s *Step, batch, _ int64) int64 {
		return s.output().Elems() * batch
	},
	Bound:   ByReduction,
	Forward: 5, Back: 2,
}

// SafeSoftmax is a softmax in which a row may have nothing.
func SafeSoftmax(p *Program, x Value) Value {
	return p.do(safeSoftmax, Tensor{Shape: p.Shape(x)}, x).Out
}

// sparsemax is that of Martins and Astudillo (2016), written as in pytorch_tabnet: it sorts, sums and saves its result and how many entries are not zero.
var sparsemax = &Op{
	Name:     "sparsemax",
	Saves:    func(_ *Step, save *Saved) { save.Output(); save.Further() },
	Backward: softmax.Backward,
	Workspace: func(s *Step, batch, width int64) int64 { // sorted, with the places and the sums
		return s.output().Elems() * batch * (2*width + 8)
	},
	Bound:   ByReduction,
	Forward: 13, Back: 8,
}

// Sparsemax is the point of the simplex that is nearest to each row.
func Sparsemax(p *Program, x Value) Value {
	s := p.do(sparsemax, Tensor{Shape: p.Shape(x)}, x)
	p.keep(s, Int64, false, 1)
	return s.Out
}
