package op

// gather is torch.gather: it saves what arrives, of which its backward pass reads the shape only, and where it
// was read.
var gather = &Op{
	Name: "gather",
	Saves: func(_ *Step, save *Saved) {
		save.Input(0)
		save.Input(1)
	},
	Backward: func(_ *Step, g *Gradients) { g.New(0) },
	Fits:     fitsIndices,
	Bound:    ByIndex,
	Forward:  1, Back: 2,
}

// fitsIndices holds a result to the shape of the indices.
func fitsIndices(s *Step) bool { return s.input(1).Elems() == s.output().Elems() }

// Gather reads a tensor at indices.
func Gather(p *Program, x, indices Value) Value {
	return p.do(gather, Tensor{Shape: p.Shape(indices)}, x, indices).Out
}

// index is a tensor at places that do not depend on the sample, x[..., i, j]. It saves the indices.
var index = &Op{
	Name: "index",
	Saves: func(s *Step, save *Saved) {
		for k := 1; k < len(s.In); k++ {
			save.Input(k)
		}
	},
	Backward: func(_ *Step, g *Gradients) { g.New(0) },
	Fits:     func(s *Step) bool { return len(s.In) > 1 },
	Bound:    ByIndex,
	Forward:  1, Back: 2,
}

// Index reads a tensor at indices of some of its axes.
func Index(p *Program, x Value, shape []int64, indices ...Value) Value {
	return p.do(index, Tensor{Shape: shape}, append([]Value{x}, indices...)...).Out
}

// topK is torch.topk: it saves where the values were.
var topK = &Op{
	Name:    "topk",
	Saves:   func(_ *Step, save *Saved) { save.Further() },
	Fits:    func(s *Step) bool { return s.output().Elems() <= s.input(0).Elems() },
	Forward: 2, Back: 2,
}

// TopK is the largest values along an axis, and where they were.
func TopK(p *Program, x Value, shape ...int64) (values, places Value) {
	s := p.do(topK, Tensor{Shape: shape, DType: p.Tensors[x].DType}, x)
	p.keep(s, Int64, p.Tensors[x].Shared, shape...)
	s = &p.Steps[len(p.Steps)-1]
	return s.Out, s.Kept[0]
}

// argmax is the place of the largest value, which has no gradient.
var argmax = &Op{Name: "argmax", Fits: fitsReduced, Forward: 1}

// ArgMax is the places of the largest values along axes.
func ArgMax(p *Program, x Value, shape ...int64) Value {
	return p.do(argmax, Tensor{Shape: shape, DType: Int64}, x).Out
}
