package estimate

// addStreams counts the logits of a head whose result is cut, where the loss is taken of all streams: they and a copy with the streams first,
// the cut, the logarithms of the shares in 32 bits, and a 32-bit copy to take them of.
func (s *stepper) addStreams(i int) {
	n := &s.res.Nodes[i]
	if !s.how[i].has(streams) || len(n.In) == 0 {
		return
	}
	count, w := times(max(0, n.In[0].Size()), s.o.Batch), s.productBytes()
	s.logits = plus(block(times(count, w)), block(times(count, w)), block(s.result(i)), block(times(count, 4)))
	if w < 4 {
		s.logits = plus(s.logits, block(times(count, 4)))
	}
}

// keepCopies is queries and keys, and values, with their heads one after the other, so many bytes wide: copies of what arrives, or, where that is a cut,
// of all that it was cut from.
func (s *stepper) keepCopies(p, i int, h heads, exactly, w int64) {
	widths := [...]int64{exactly, exactly, w}
	counts := [...]int64{times(h.queries, h.count, h.features), times(h.keys, h.count, h.features), times(h.keys, h.count, h.values)}
	for k, count := range counts {
		if j := s.input(i, k); j >= 0 && s.how[i].has(streams) {
			count = max(count, s.res.Nodes[s.source(j)].Out.Size())
		}
		if k < 2 && s.how[i].has(banded) { // chunks of two blocks, each block in two of them
			count = times(2, counts[0])
		}
		s.add(p, times(count, s.o.Batch, widths[k]))
	}
}

// keepBand is what attention keeps that takes the softmax of a band, as wide as two of three blocks and one position: the softmax in 32 bits, and its
// weights spread out over the three blocks again.
func (s *stepper) keepBand(p, i int, rows, keys int64) string {
	band := times(rows, keys/3*2+1)
	s.add(p, times(band, 4))
	s.add(p, times(rows, keys+2, s.productBytes()))
	if s.how[i].has(dropped) {
		s.add(p, band)
	}
	return "banded"
}

// keepEdges is what a linear module keeps. Of a band of scores, (positions, heads, two reaches and one), that is which of the scores within reach of
// either end of the text lie beyond it; else nothing.
func (s *stepper) keepEdges(p, i int) bool {
	n := &s.res.Nodes[i]
	if s.how[i].has(banded) && n.Out.Rank() > 1 {
		reach := (n.Out.At(-1) - 1) / 2
		for range 2 {
			s.add(p, times(reach, reach+1, max(1, n.Out.At(-2)), s.o.Batch))
		}
	}
	return true
}

// keepScores is what attention with its scores in memory keeps beside the softmax, whose results are so many bytes wide: of dropout which
// weights were dropped, and the others, unless a copy of them in the width of the values is kept already; of a maximum with a least
// number, which is taken of the sum with the mask, that sum. Autocast leaves the sum in 32 bits.
func (s *stepper) keepScores(p, i int, count, width int64, cast bool) {
	if s.how[i].has(dropped) {
		s.add(p, count)
		if !cast {
			s.add(p, times(count, width))
		}
	}
	if s.how[i].has(emptied) && !cast {
		s.add(p, times(count, width))
	}
	if s.how[i].has(clamped) {
		s.add(p, times(count, weightSize(s.o.Precision)))
	}
	if s.how[i].has(scaled) { // the scores for their sum, and what is scaled
		s.add(p, times(count, weightSize(s.o.Precision)))
		s.add(p, times(max(0, s.res.Nodes[i].Out.Size()), s.o.Batch, s.productBytes()))
	}
}

// cappedBytes is the width of the hyperbolic tangents of logits.
func (s *stepper) cappedBytes(i int) int64 {
	if s.how[i].has(wide) {
		return 4
	}
	return s.productBytes()
}
