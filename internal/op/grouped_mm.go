package op

// groupedMM is torch.nn.functional.grouped_mm: rows that are sorted by group, each group with a matrix of its own. Autocast does not know it.
var groupedMM = &Op{
	Name:  "grouped_mm",
	Saves: savesFactors,
	Fits: func(s *Step) bool {
		return s.input(0).Elems() == s.N[0]*s.N[1] && s.output().Elems() == s.N[0]*s.N[2] && s.input(1).Elems()%(s.N[1]*s.N[2]) == 0
	},
	FLOPs:   func(s *Step) int64 { return countOf(2, s.N[0], s.N[1], s.N[2]) },
	Bound:   ByProduct,
	Matrix:  rowsByGroup,
	Forward: 1, Back: 2,
}

// rowsByGroup is the rows that a group has in the mean, with its own matrix.
func rowsByGroup(s *Step, batch int64) Matrix {
	groups := max(1, s.input(1).Elems()/max(1, s.N[1]*s.N[2]))
	return Matrix{groups, (s.N[0]*batch + groups - 1) / groups, s.N[1], s.N[2]}
}

// GroupedMM multiplies rows of (rows, in) with those matrices to (rows, out).
func GroupedMM(p *Program, x, weights Value, out int64) Value {
	shape := p.Shape(x)
	s := p.do(groupedMM, Tensor{Shape: []int64{shape[0], out}}, x, weights)
	s.N = [5]int64{shape[0], shape[1], out}
	return s.Out
}

// groupedLinear is torch.nn.Linear of each group one after the other, taken together.
var groupedLinear = &Op{
	Name: "linear", Autocast: Lowers, Saves: savesFactors, Fits: groupedMM.Fits, FLOPs: groupedMM.FLOPs,
	Bound: ByProduct, Matrix: rowsByGroup, Forward: 1, Back: 2,
}

// GroupedLinear is the same as GroupedMM of linear layers with a bias, or without one.
func GroupedLinear(p *Program, x, weights, bias Value, out int64) Value {
	shape, in := p.Shape(x), []Value{x, weights}
	if bias != None {
		in = append(in, bias)
	}
	s := p.do(groupedLinear, Tensor{Shape: []int64{shape[0], out}}, in...)
	s.N = [5]int64{shape[0], shape[1], out}
	return s.Out
}
