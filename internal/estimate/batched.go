package estimate

// batchedSizes is what experts compute that all of them read every position: one copy of what arrives, and one tensor between their maps,
// in the width of the products.
func (s *stepper) batchedSizes(i int) (whole, inside int64) {
	n := &s.res.Nodes[i]
	dim := max(1, n.Out.At(-1))
	rows := times(max(0, n.Out.Size())/dim, max(1, arg(n, "numExperts").Int()), s.o.Batch)
	return times(rows, dim, s.productBytes()), times(rows, max(0, arg(n, "expertDim").Int()), s.productBytes())
}

// keepBatched is what such experts keep, whose share weights what they read, and not what they give: a copy of what arrives for each
// expert, which that product keeps, the product, which the first map reads, both halves of what that gives, the activation of one and
// the product. The sum over the experts keeps nothing.
func (s *stepper) keepBatched(p, i int) {
	whole, inside := s.batchedSizes(i)
	s.keepRouter(p, i)
	repeated := s.productBytes()
	if j := s.input(i, 0); j >= 0 {
		repeated = width(&s.res.Nodes[j], s.narrow[j])
	}
	s.add(p, times(whole/s.productBytes(), repeated))
	s.add(p, whole)
	s.add(p, 2*inside)
	s.add(p, inside)
	s.add(p, inside)
}

// innerBatched is what their backward pass has beside all that they kept and all gradients, as innerExperts: first the gradients of
// both factors in front of the last map, whose gradient is there in place of what it read; then the one gradient of both halves; then
// that of what was weighted, and its products with the share and with the copies.
func (s *stepper) innerBatched(i int, first int64) int64 {
	whole, inside := s.batchedSizes(i)
	wide := times(whole/s.productBytes(), weightSize(s.o.Precision))
	return max(2*inside-first, whole-2*inside, 3*wide-4*inside-whole)
}
