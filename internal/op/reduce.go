package op

// The reductions of axes. A sum hands its gradient on to every element as a view; a mean divides it first. An
// extreme value gives it to the elements that are equal to it, by a mask (scale_grad_by_count); a variance, a
// norm and logsumexp compute a slope for each element.
var (
	sum = &Op{
		Name:     "sum",
		Autocast: WidensInside,
		Backward: func(_ *Step, g *Gradients) { g.Same(0) },
		Fits:     fitsReduced,
		Bound:    ByReduction,
		Forward:  1,
	}
	mean = &Op{Name: "mean", Fits: fitsReduced, Bound: ByReduction, Forward: 1, Back: 1}
	amax = &Op{
		Name:  "amax",
		Saves: savesBoth,
		Backward: func(s *Step, g *Gradients) {
			x := s.input(0)
			g.Holds(x.Elems(), Byte, x.Shared)
			g.Holds(x.Elems(), Float, x.Shared)
			g.New(0)
		},
		Fits:    fitsReduced,
		Bound:   ByReduction,
		Forward: 1, Back: 4,
	}
	variance   = &Op{Name: "var", Saves: savesInput, Backward: byWayOf(1), Fits: fitsReduced, Bound: ByReduction, Forward: 1, Back: 4}
	deviation  = &Op{Name: "std", Saves: savesBoth, Backward: byWayOf(1), Fits: fitsReduced, Bound: ByReduction, Forward: 1, Back: 7}
	vectorNorm = &Op{
		Name:     "linalg_vector_norm",
		Autocast: WidensInside,
		Saves:    savesBoth,
		Backward: byWayOf(1), // grad * (x / y)
		Fits:     fitsReduced,
		Bound:    ByReduction,
		Forward:  1, Back: 4,
	}
	logSumExp = &Op{
		Name:     "logsumexp",
		Autocast: Widens,
		Saves:    savesBoth,
		Backward: byWayOf(2), // grad * (x - y).exp()
		Fits:     fitsReduced,
		Bound:    ByReduction,
		Forward:  6, Back: 3,
	}
)

// savesBoth is a reduction whose gradient compares or divides what arrived by the result.
func savesBoth(_ *Step, save *Saved) {
	save.Input(0)
	save.Output()
}

// fitsReduced holds a result to a divisor of what arrives.
func fitsReduced(s *Step) bool {
	n := s.output().Elems()
	return n > 0 && s.input(0).Elems()%n == 0
}

// Sum, Mean, Amax, Var, Std, VectorNorm and LogSumExp reduce a tensor to a shape. Amax stands for torch.amin, too.
func Sum(p *Program, x Value, shape ...int64) Value  { return p.do(sum, Tensor{Shape: shape}, x).Out }
func Mean(p *Program, x Value, shape ...int64) Value { return p.do(mean, Tensor{Shape: shape}, x).Out }
func Amax(p *Program, x Value, shape ...int64) Value { return p.do(amax, Tensor{Shape: shape}, x).Out }
func Var(p *Program, x Value, shape ...int64) Value {
	return p.do(variance, Tensor{Shape: shape}, x).Out
}
func Std(p *Program, x Value, shape ...int64) Value {
	return p.do(deviation, Tensor{Shape: shape}, x).Out
}
func VectorNorm(p *Program, x Value, shape ...int64) Value {
	return p.do(vectorNorm, Tensor{Shape: shape}, x).Out
}
func LogSumExp(p *Program, x Value, shape ...int64) Value {
	return p.do(logSumExp, Tensor{Shape: shape}, x).Out
}

// cumsum is torch.cumsum, whose gradient is that of the result, summed from the end: it is flipped, summed and
// flipped back.
var cumsum = &Op{Name: "cumsum", Autocast: Widens, Backward: byWayOf(2), Bound: ByReduction, Forward: 1, Back: 3}

// CumSum sums along an axis.
func CumSum(p *Program, x Value) Value { return p.do(cumsum, Tensor{Shape: p.Shape(x)}, x).Out }
