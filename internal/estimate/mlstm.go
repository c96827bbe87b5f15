package estimate

// keepMatrices is what the matrix memory of an mLSTM keeps as transformers computes it where no kernel is installed
// (mlstm_chunkwise_native_autograd). Of whole chunks, for every position of a head: copies of query, key and value; the key with its gate
// and the query with its, as they are multiplied; a row of the gates inside the chunk, of the products of queries and keys, and of both
// together; and the sum that is divided by its normaliser. For every chunk the matrix before it, and all of them in one piece. Of what is
// left, position by position: the matrix before and after it, and what is added to it. It reports whether the sizes are those of one.
func (s *stepper) keepMatrices(p, i int) bool {
	n := &s.res.Nodes[i]
	chunk := sizeOf(n.Component, "matrices")
	if chunk < 1 || len(n.In) < 3 || n.In[0].Rank() != 2 || n.Out.Rank() != 2 || n.FLOPs < 1 {
		return false
	}
	length, keys, values := n.Out[0], n.In[0].At(-1), n.Out.At(-1)
	each := n.FLOPs / max(1, times(4, length)) // elements of the matrices of all heads
	heads := times(keys, values) / max(1, each)
	w, wide := s.productBytes(), weightSize(s.o.Precision)
	whole := times(s.o.Batch, length-length%chunk)
	for _, bytes := range []int64{w * keys, w * keys, w * values, w * keys, w * keys, wide * heads * chunk, w * heads * chunk, w * heads * chunk, w * values} {
		s.add(p, times(whole, bytes))
	}
	if autocasts(s.o.Precision) { // the query is multiplied twice
		s.add(p, times(whole, w, keys))
	}
	s.add(p, times(whole/chunk, each, 4))
	s.add(p, times(whole/chunk, each, w))
	s.add(p, times(s.o.Batch, length%chunk, each, 4+2*w))
	return true
}
