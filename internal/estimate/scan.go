package estimate

// recurrence is the sizes of Mamba 2's recurrence as transformers computes it where no kernel is installed (mamba2_chunk_scan).
type recurrence struct {
	batch, length, chunks, chunk, heads, features, state int64
}

// padded is the positions of all sequences, with what fills their last chunk.
func (r recurrence) padded() int64 { return times(r.batch, r.chunks, r.chunk) }

func (s *stepper) recurrenceOf(i int) (r recurrence, ok bool) {
	n := &s.res.Nodes[i]
	if !s.how[i].has(scan) || n.Out.Rank() != 2 {
		return r, false
	}
	r = recurrence{batch: s.o.Batch, length: n.Out[0], chunk: sizeOf(n.Component, "scan"), state: sizeOf(n.Component, "state")}
	switch {
	case n.Type.ID == "mamba2":
		r.state, r.features = arg(n, "stateDim").Int(), arg(n, "headDim").Int()
		r.heads = s.sizeIn(i, "A_log", 0)
	case len(n.In) > 1 && n.In[1].Rank() == 2:
		r.heads = n.In[1].At(-1)
		r.features = n.Out.At(-1) / max(1, r.heads)
	}
	if r.chunk < 1 || r.heads < 1 || r.features < 1 || r.state < 1 {
		return r, false
	}
	r.chunks = (r.length + r.chunk - 1) / r.chunk
	return r, true
}

// sizeIn is an axis of a weight of a component.
func (s *stepper) sizeIn(i int, name string, axis int) int64 {
	n := &s.res.Nodes[i]
	for k := range n.Weights {
		if w := &n.Weights[k]; w.Path() == name && axis < w.Shape.Rank() {
			return w.Shape[axis]
		}
	}
	return 0
}

// keepRecurrence is what the recurrence keeps, all of it in 32 bits: what it reads for the direct path and times the step, both filled up;
// the state's matrices of each head, one of them also with its decay; the decay inside a chunk, the products of the matrices and both
// together; the states in front of each chunk, before and after they are added up; and what they give.
func (s *stepper) keepRecurrence(p int, r recurrence) {
	values := times(r.padded(), r.heads, r.features, 4)
	for range 3 {
		s.add(p, values)
	}
	for range 3 {
		s.add(p, times(r.padded(), r.heads, r.state, 4))
	}
	for range 3 {
		s.add(p, times(r.padded(), r.chunk, r.heads, 4))
	}
	for range 2 {
		s.add(p, times(r.batch, r.chunks+1, r.heads, r.features, r.state, 4))
	}
	for range 6 { // steps and decays of each head
		s.add(p, times(r.padded(), r.heads, 4))
	}
}

// innerRecurrence: a sum of products is computed as a product and a sum, so that the gradients of both factors are as large as all
// products before they are summed.
func (s *stepper) innerRecurrence(r recurrence) int64 {
	return times(2*4, r.padded(), r.heads, max(times(r.chunk, max(r.features, r.state)), times(r.features, r.state)))
}

// keepRecurrent keeps what transformers' recurrences do, and reports whether it knows this one.
func (s *stepper) keepRecurrent(p, i int) bool {
	switch how := s.how[i]; {
	case how.has(chunks):
		return s.keepRule(p, i)
	case how.has(serial):
		return s.keepSerial(p, i) || s.keepGates(p, i)
	case how.has(matrices):
		return s.keepMatrices(p, i)
	case s.res.Nodes[i].Type.ID == "rwkvTimeMix":
		s.keepTimeMix(p, i)
		return false
	case !how.has(scan):
		return false
	}
	r, ok := s.recurrenceOf(i)
	switch {
	case !ok:
	case s.res.Nodes[i].Type.ID == "mamba2":
		s.keepMixer(p, i, r)
	default:
		s.keepScan(p, i, r)
	}
	return ok
}

// innerRecurrent is what their backward passes need for themselves, 0 where nothing is known of it.
func (s *stepper) innerRecurrent(i int) int64 {
	if r, ok := s.recurrenceOf(i); ok {
		return s.innerRecurrence(r)
	}
	features, state := s.serialSizes(i)
	return s.innerSerial(i, features, state)
}

// keepScan keeps the recurrence alone, which reads what was convolved: a 32-bit copy of what is no matrix.
func (s *stepper) keepScan(p, i int, r recurrence) {
	if s.productBytes() == 2 {
		s.add(p, times(r.batch, r.length, r.heads, r.features, 4))
	} else if j := s.input(i, 0); j >= 0 {
		s.share(p, s.source(j))
	}
	s.keepRecurrence(p, r)
}

// keepMixer is the whole mixer: around the recurrence its first map, the convolution and its activation, and the norm with its gate, which
// is in 32 bits whatever arrives.
func (s *stepper) keepMixer(p, i int, r recurrence) {
	w, rows := s.productBytes(), times(r.batch, r.length)
	if j := s.input(i, 0); j >= 0 {
		s.keepMapped(p, s.source(j), 1)
	}
	wide := s.sizeIn(i, "conv1d.weight", 0)
	kernel := max(1, arg(&s.res.Nodes[i], "convKernel").Int())
	if autocasts(s.o.Precision) { // the convolution reads a copy of its part
		s.add(p, times(rows, wide, 2))
	} else {
		s.add(p, times(rows, s.sizeIn(i, "in_proj.weight", 0), w))
	}
	s.add(p, times(r.batch, wide, r.length+kernel-1, w))
	inner := times(rows, r.heads, r.features)
	if w == 2 {
		s.add(p, times(inner, 4)) // as the recurrence reads it
		s.add(p, times(inner, 4)) // the gate
	} else {
		s.add(p, times(rows, wide, 4))
	}
	s.keepRecurrence(p, r)
	for range 4 { // what it gives, the activated gate, their product, that normalised
		s.add(p, times(inner, 4))
	}
	s.add(p, times(inner, w))
}
