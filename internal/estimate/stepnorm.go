package estimate

// keepNormSteps is a layer norm written as single operations: the difference from the mean for its square, once more for the product
// with the root, and that product in front of its scale. It computes in 32 bits and casts back ahead of the scale, or behind it (wide);
// or it computes the difference once, in the width that arrives (plain).
func (s *stepper) keepNormSteps(p, i int) {
	n := &s.res.Nodes[i]
	count, arrives := times(max(0, n.Out.Size()), s.o.Batch), int64(4)
	if j := s.input(i, 0); j >= 0 {
		arrives = width(&s.res.Nodes[j], s.narrow[j])
	}
	if s.how[i].has(plain) {
		s.add(p, times(count, arrives))
		s.add(p, times(count, arrives))
		return
	}
	s.add(p, times(count, 4))
	s.add(p, times(count, 4))
	if s.how[i].has(wide) {
		arrives = 4
	}
	s.add(p, times(count, arrives))
}

// innerNormSteps is what the backward pass of such a norm has beside the gradients of its result and of what arrives: that of the quotient in
// 32 bits, what it leaves for the difference, its negative, and the quotient by the root once more and the product of both for the root.
func (s *stepper) innerNormSteps(i int) int64 {
	n := &s.res.Nodes[i]
	return max(0, times(5, max(0, n.Out.Size()), s.o.Batch, 4)-2*s.result(i))
}
