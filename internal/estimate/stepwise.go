package estimate

// keepSteps is GELU by its approximation, 0.5*x*(1+tanh(c*(x+0.044715*x^3))): what arrives (autocast takes powers of a 32-bit
// copy, and all that follows is in 32 bits), half of it, the hyperbolic tangent, and one more than that.
func (s *stepper) keepSteps(p, i, from int) {
	if from < 0 {
		return
	}
	n := &s.res.Nodes[i]
	count := times(max(0, n.Out.Size()), s.o.Batch)
	w := width(&s.res.Nodes[from], s.narrow[from])
	inner := w
	if autocasts(s.o.Precision) && w == 2 {
		inner = 4
		s.add(p, times(count, 4))
	} else {
		s.share(p, s.source(from))
	}
	s.add(p, times(count, w))
	s.add(p, times(count, inner))
	s.add(p, times(count, inner))
}

// keepGated is a gated network: where there is dropout in front of its last map, what was dropped, and what the GELU of single operations keeps.
// It reports whether that is all.
func (s *stepper) keepGated(p, i int) bool {
	n := &s.res.Nodes[i]
	if s.how[i].has(dropped) {
		s.add(p, times(max(0, n.Out.Size())/max(1, n.Out.At(-1)), max(0, arg(n, "intermediateSize").Int()), s.o.Batch))
	}
	switch {
	case !s.how[i].has(steps):
		return false
	case n.Type.ID == "swiglu":
		s.keepBoundedGate(p, i)
	default:
		s.keepGatedSteps(p, i)
	}
	return true
}

// keepBoundedGate is a network written as (up+1)*gate*sigmoid(a*gate), as experts are that have such a gate: what the first map gives, the
// bounded gate, the sigmoid, their product, the sum and the product of all.
func (s *stepper) keepBoundedGate(p, i int) {
	n := &s.res.Nodes[i]
	if j := s.input(i, 0); j >= 0 {
		s.keepInput(p, i, j)
	}
	hidden := times(max(0, n.Out.Size())/max(1, n.Out.At(-1)), max(0, arg(n, "intermediateSize").Int()), s.o.Batch)
	for range 7 {
		s.add(p, times(hidden, s.productBytes()))
	}
}

// keepGatedSteps is a gated network with that GELU. Its first map's result is kept by the power, under autocast as a 32-bit copy; the
// second map's, the gate and their product by the products.
func (s *stepper) keepGatedSteps(p, i int) {
	n := &s.res.Nodes[i]
	if j := s.input(i, 0); j >= 0 {
		s.keepInput(p, i, j)
	}
	hidden := times(max(0, n.Out.Size())/max(1, n.Out.At(-1)), max(0, arg(n, "intermediateSize").Int()), s.o.Batch)
	narrow, wide := 7, 0
	if autocasts(s.o.Precision) {
		narrow, wide = 3, 4
	}
	for range narrow {
		s.add(p, times(hidden, s.productBytes()))
	}
	for range wide {
		s.add(p, times(hidden, 4))
	}
}
