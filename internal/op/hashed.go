package op

// hashed is a product of matrices without a gradient, of which the places are taken that sort its rows.
var hashed = &Op{
	Name:     "argsort",
	Autocast: Lowers,
	Detaches: true,
	Fits:     fitsAny,
	FLOPs:    func(s *Step) int64 { return countOf(2, s.N[0], s.N[1], s.N[2], s.N[3]) },
	Bound:    ByProduct,
	Matrix:   pairs,
	Forward:  14, // the product, its opposite, their concatenation, argmax, offsets of rounds, sort and its inverse
}

// Hashed is the places that sort the rows of x, for each entry of its first axis, by their product with a matrix: as many as rounds times the rows.
func Hashed(p *Program, x Value, rounds, columns int64) Value {
	shape := p.Shape(x)
	s := p.do(hashed, Tensor{Shape: []int64{shape[0], rounds * shape[1], 1}, DType: Int64}, x)
	s.N = [5]int64{shape[0], shape[1], shape[2], rounds * columns}
	return s.Out
}
