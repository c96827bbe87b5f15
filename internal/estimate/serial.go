package estimate

// serialSizes are the features and the state of each in Mamba's recurrence, which transformers computes position by position where no kernel
// is installed (mamba_selective_scan).
func (s *stepper) serialSizes(i int) (features, state int64) {
	n := &s.res.Nodes[i]
	switch {
	case !s.how[i].has(serial) || n.Out.Rank() != 2:
	case n.Type.ID == "mamba":
		return s.sizeIn(i, "A_log", 0), s.sizeIn(i, "A_log", 1)
	case sizeOf(n.Component, "state") > 0:
		return n.Out.At(-1), sizeOf(n.Component, "state")
	case len(n.In) > 2:
		return n.Out.At(-1), n.In[2].At(-1)
	}
	return 0, 0
}

// keepSerial is what the recurrence keeps: of every position and feature the decay of its state, what the step makes of the input's matrix,
// and the state, all in 32 bits, and the state as the matrix of the output reads it; and what it reads in 32 bits. The whole mixer also keeps
// what is around it.
func (s *stepper) keepSerial(p, i int) bool {
	n := &s.res.Nodes[i]
	features, state := s.serialSizes(i)
	if features < 1 || state < 1 {
		return false
	}
	w, length := s.productBytes(), n.Out[0]
	all := times(s.o.Batch, length, features)
	if n.Type.ID == "mamba" {
		s.keepSerialMixer(p, i, all)
	} else {
		for k := range 2 { // what was convolved, and the steps
			if j := s.input(i, k); j >= 0 {
				s.share(p, s.source(j))
			}
		}
	}
	if w == 2 {
		s.add(p, times(all, 4))
		s.add(p, times(length, fresh(times(s.o.Batch, features, state, 2))))
	}
	s.add(p, times(all, state, 4))
	s.add(p, times(all, state, 4))
	s.add(p, times(length, fresh(times(s.o.Batch, features, state, 4))))
	return true
}

// keepSerialMixer is the mixer but for its recurrence: the first map and, of it, the gate; the convolution and its activation, which the
// next map reads turned; the steps before and after their softplus, which autocast takes in 32 bits; the result, the activated gate, and
// their product.
func (s *stepper) keepSerialMixer(p, i int, all int64) {
	w, wide := s.productBytes(), weightSize(s.o.Precision)
	if j := s.input(i, 0); j >= 0 {
		s.keepMapped(p, s.source(j), 1)
	}
	s.add(p, times(2, all, w))
	if autocasts(s.o.Precision) { // the convolution reads a copy
		s.add(p, times(all, w))
	}
	for _, bytes := range []int64{w, w, w, wide, wide, wide, w, w} {
		s.add(p, times(all, bytes))
	}
}

// innerSerial: each position's gradients of decay and input are put into a tensor for all positions, which is added to that of the positions
// before in place.
func (s *stepper) innerSerial(i int, features, state int64) int64 {
	if features < 1 || state < 1 {
		return 0
	}
	return times(3*4, s.o.Batch, s.res.Nodes[i].Out[0], features, state)
}
