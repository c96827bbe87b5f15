package op

// einsum is torch.einsum: products of one operand after the other. It saves the operands that lie as a product of matrices wants them, copies
// of the others, and the products between.
var einsum = &Op{
	Name:     "einsum",
	Autocast: Lowers,
	Saves: func(s *Step, save *Saved) {
		for k := range s.In {
			if s.N[0]>>k&1 == 1 {
				save.Input(k)
			}
		}
		save.Further()
	},
	FLOPs:   func(s *Step) int64 { return s.N[1] },
	Bound:   ByProduct,
	Fits:    fitsAny,
	Forward: 1, Back: 2,
}

// Einsum is such products, which take so many FLOPs, save the inputs with these bits, and tensors of so many elements.
func Einsum(p *Program, shape []int64, flops int64, saved int64, kept []int64, in ...Value) Value {
	s := p.do(einsum, Tensor{Shape: shape}, in...)
	s.N = [5]int64{saved, flops}
	for _, n := range kept { // there can be as many as operands
		p.values.Push(p.tensor(Tensor{Shape: []int64{n}}))
	}
	s.Kept = p.values.Take()
	return s.Out
}
