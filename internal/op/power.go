package op

// The functions of single elements whose backward pass is made of several kernels: each makes a tensor like the
// input.
var (
	pow = &Op{ // grad * (n * x.pow(n - 1))
		Name: "pow", Autocast: Widens, Saves: savesInput, Backward: byWayOf(2), Pointwise: true, Forward: 1, Back: 3,
	}
	abs = &Op{ // grad * x.sgn()
		Name: "abs", Saves: savesInput, Backward: byWayOf(1), Pointwise: true, Forward: 1, Back: 2,
	}
	sqrt = &Op{ // grad / (2 * y)
		Name: "sqrt", Saves: savesOutput, Backward: byWayOf(1), Pointwise: true, Forward: 1, Back: 2,
	}
	erf = &Op{ // 2 / sqrt(pi) * exp(-(x.pow(2))) * grad
		Name: "erf", Saves: savesInput, Backward: byWayOf(4), Pointwise: true, Forward: 1, Back: 5,
	}
)

// byWayOf is a backward pass that makes so many tensors like the input before the gradient.
func byWayOf(tensors int) func(*Step, *Gradients) {
	return func(s *Step, g *Gradients) {
		x := s.input(0)
		for range tensors {
			g.Holds(x.Elems(), Float, x.Shared)
		}
		g.New(0)
	}
}

// Pow is torch.pow with a number as the exponent.
func Pow(p *Program, x Value) Value { return p.do(pow, Tensor{Shape: p.Shape(x)}, x).Out }

// Abs is torch.abs.
func Abs(p *Program, x Value) Value { return p.do(abs, Tensor{Shape: p.Shape(x)}, x).Out }

// Sqrt is torch.sqrt.
func Sqrt(p *Program, x Value) Value { return p.do(sqrt, Tensor{Shape: p.Shape(x)}, x).Out }

// Erf is torch.erf.
func Erf(p *Program, x Value) Value { return p.do(erf, Tensor{Shape: p.Shape(x)}, x).Out }
