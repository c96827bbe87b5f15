package estimate

// keepBlocks is what attention keeps that is computed for blocks of positions (bigbird_block_sparse_attention of transformers): the first and the last
// block see everything, as queries and as keys; the second and the last but one see four blocks and some that were drawn; each of the others the first
// and the last, itself and its neighbours, and some that were drawn. Everything is copied for the products, whose heads come first.
func (s *stepper) keepBlocks(p, i int, h heads) {
	c := s.res.Nodes[i].Component
	size, drawn := max(1, sizeOf(c, "blocks")), max(0, sizeOf(c, "random"))
	middle := max(0, h.keys/size-4)
	heads, w := times(h.count, s.o.Batch), s.productBytes()
	put := func(copies, rows, features, width int64) {
		for range copies {
			s.add(p, times(heads, rows, features, width))
		}
	}
	put(4, h.keys, h.features, w)                     // keys and values for the first block, and for the last
	put(2, times(middle, 3, size), h.features, w)     // each block between its neighbours
	put(2, times(middle, drawn, size), h.features, w) // those that were drawn for it
	put(4, times(middle, size), h.features, w)        // queries, for each of the four products
	put(4, times(4+drawn, size), h.features, w)       // keys and values for the second, and for the last but one
	put(10, size, h.features, w)                      // queries of those four, and the first and the last block by themselves
	for _, columns := range []int64{h.keys, times(4+drawn, size)} {
		s.keepWeights(p, i, times(2, heads, size, columns))
	}
	s.keepWeights(p, i, times(heads, middle, size, times(5+drawn, size)))
}

// keepWeights is what a softmax gives that is taken in the width of its scores, and of autocast's, which has 32 bits, a copy.
func (s *stepper) keepWeights(p, i int, count int64) {
	soft := s.productBytes()
	if autocasts(s.o.Precision) {
		s.add(p, times(count, 2))
		soft = 4
	}
	s.add(p, times(count, soft))
	if s.how[i].has(dropped) {
		s.add(p, count)
	}
}
