package op

import "slices"

// scan is a loop over positions of operations that are the same at each: it stands for all of them. It saves
// the first of what it reads, and what it makes of every position. The gradient of a tensor of which each
// position reads a part is zeros around that part, which are added to those of the positions behind.
var scan = &Op{
	Name:    "scan",
	Gathers: true,
	Saves: func(s *Step, save *Saved) {
		for k := range int(s.N[0]) {
			save.Input(k)
		}
		save.Further()
	},
	Backward: func(s *Step, g *Gradients) {
		for k := range s.In {
			g.New(k)
			if g.Needs(k) {
				g.Holds(s.input(k).Elems(), Float, s.input(k).Shared)
				g.Drops()
			}
		}
	},
	Workspace: func(s *Step, batch, width int64) int64 { // in use: a state, both sides of the sum that the next one is, and that
		return 4 * s.N[1] * batch * width
	},
	Fits:    fitsAny,
	Loops:   func(s *Step) (positions, kernels int64) { return s.N[2], s.N[3] },
	FLOPs:   func(s *Step) int64 { return s.N[4] },
	Forward: 1, Back: 3,
}

// Beside says of the last step how many kernels the code starts beside it, as in a loop over rows; the backward pass starts two for each of them. They
// were counted as the operations of real modules that a program lacks (truth/launches.jsonl.gz).
func Beside(p *Program, kernels int64) { p.Steps[len(p.Steps)-1].Beside += kernels }

// Loops says of the last loop of a program how many positions it has, and how many kernels it starts at each.
func Loops(p *Program, positions, kernels int64) {
	for k := len(p.Steps) - 1; k >= 0; k-- {
		if s := &p.Steps[k]; s.Op == scan {
			s.N[2], s.N[3] = positions, kernels
			return
		}
	}
}

// ScanProducts is Scan with products of matrices at the positions, which take so many FLOPs in all.
func ScanProducts(p *Program, shape []int64, flops int64, saved, others []Value, keeps ...int64) (all, each Value) {
	at := len(p.Steps)
	all, each = Scan(p, shape, saved, others, keeps...)
	p.Steps[at].N[4] = flops
	return all, each
}

// Scan is such a loop over inputs of which autograd saves the first, whose results are put together to one of a
// shape. What it keeps is given by its elements, of all positions. In use it keeps the results of the positions alone.
func Scan(p *Program, shape []int64, saved, others []Value, keeps ...int64) (all, each Value) {
	s := p.do(scan, Tensor{Shape: shape}, slices.Concat(saved, others)...)
	s.N[0] = int64(len(saved))
	if p.Eval {
		s.N[1] = slices.Max(keeps) / (shape[0] + 1)
		return Copied(p, s.Out, shape...), s.Out
	}
	for _, n := range keeps {
		p.keep(s, Float, false, n)
	}
	return s.Out, s.Out
}

// Kept is what a loop keeps of all its positions.
type Kept struct {
	Elems int64
	DType DType
}

// Loop is Scan with a result in a width, and with what it keeps in widths of their own.
func Loop(p *Program, shape []int64, dtype DType, saved, others []Value, keeps ...Kept) Value {
	s := p.do(scan, Tensor{Shape: shape, DType: dtype}, slices.Concat(saved, others)...)
	s.N[0] = int64(len(saved))
	for _, k := range keeps {
		p.keep(s, k.DType, false, k.Elems)
	}
	return s.Out
}
