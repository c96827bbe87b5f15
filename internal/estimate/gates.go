package estimate

// keepGates is a linear recurrence with two gates for each feature, position by position (RecurrentGemmaRglru of transformers): a copy of what
// arrives in the order of the heads, both gates, the multiple of one, the input with its gate, and the root that it is multiplied with, in the
// width of products; the decay as it is, without what is reset, and squared, and what the root is taken of, in 32 bits where autocast does
// so; the states in 32 bits. It reports whether a component is one.
func (s *stepper) keepGates(p, i int) bool {
	n := &s.res.Nodes[i]
	if len(n.In) != 1 || n.Out.Rank() != 2 || n.In[0].Size() != n.Out.Size() {
		return false
	}
	w, wide := s.productBytes(), weightSize(s.o.Precision)
	all := times(max(0, n.Out.Size()), s.o.Batch)
	if j := s.input(i, 0); j >= 0 {
		s.share(p, s.source(j))
	}
	for _, bytes := range []int64{w, w, w, w, w, w, wide, wide, wide, 4} {
		s.add(p, times(all, bytes))
	}
	s.add(p, times(n.Out[0], fresh(times(s.o.Batch, n.Out.At(-1), 4))))
	return true
}

// timeMixes is how many numbers of each position and feature RWKV's time mix keeps in 32 bits whatever arrives, as transformers computes it where
// no kernel is installed (rwkv_linear_attention_cpu): the key, and of its output and its state the largest exponents, four powers, and the
// numerators and denominators.
const timeMixes = 12

// keepTimeMix is what those have more than the catalogue's, which are as wide as products.
func (s *stepper) keepTimeMix(p, i int) {
	s.add(p, times(timeMixes, max(0, s.res.Nodes[i].Out.Size()), s.o.Batch, 4-s.productBytes()))
}
