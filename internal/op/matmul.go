package op

// bmm is a product of matrices, one pair for each entry of the axes before them.
var bmm = &Op{
	Name:     "bmm",
	Autocast: Lowers,
	Saves:    savesFactors,
	Fits: func(s *Step) bool {
		n, rows, inner, columns := s.N[0], s.N[1], s.N[2], s.N[3]
		return s.input(0).Elems() == n*rows*inner && s.input(1).Elems() == n*inner*columns &&
			s.output().Elems() == n*rows*columns
	},
	FLOPs:   func(s *Step) int64 { return countOf(2, s.N[0], s.N[1], s.N[2], s.N[3]) },
	Bound:   ByProduct,
	Matrix:  pairs,
	Forward: 1, Back: 2,
}

// pairs is one product for each pair of matrices of each sample.
func pairs(s *Step, batch int64) Matrix { return Matrix{s.N[0] * batch, s.N[1], s.N[2], s.N[3]} }

// MatMul is torch.matmul of two tensors with as many axes. One whose axes before the matrices are broadcast is
// copied.
func MatMul(p *Program, x, y Value) Value {
	a, b := p.Shape(x), p.Shape(y)
	rows, inner, columns := a[len(a)-2], a[len(a)-1], b[len(b)-1]
	outer, n := []int64{}, int64(1)
	for k := range a[:len(a)-2] {
		outer = append(outer, max(a[k], b[k]))
		n *= outer[k]
	}
	stretch := func(v Value, rows, columns int64) Value {
		shape := append(append([]int64{}, outer...), rows, columns)
		if p.Elems(v) == n*rows*columns {
			return v
		}
		return Copied(p, v, shape...)
	}
	shape := append(append([]int64{}, outer...), rows, columns)
	s := p.do(bmm, Tensor{Shape: shape}, stretch(x, rows, inner), stretch(y, inner, columns))
	s.N = [5]int64{n, rows, inner, columns}
	return s.Out
}

// Contract is a product of two in torch.einsum: of matrices, or element by element where the axis that is
// summed over has one entry.
func Contract(p *Program, x, y Value) Value {
	if a := p.Shape(x); a[len(a)-1] > 1 {
		return MatMul(p, x, y)
	}
	return Mul(p, x, y)
}
