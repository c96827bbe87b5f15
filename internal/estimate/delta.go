package estimate

// ruleChunk is the positions of a chunk of the gated delta rule (torch_chunk_gated_delta_rule of transformers).
const ruleChunk = 64

// rule is the sizes of a gated delta rule: all heads of all sequences, chunks of each, and features of a key and of a value.
type rule struct {
	heads, chunks, key, value int64
	repeats                   bool // keys have fewer heads than values, and are repeated
}

// ruleOf reads them from what arrives, queries beside keys beside values and a number for each head, and from the products: each head
// reads its matrix twice and writes it once for every position.
func (s *stepper) ruleOf(i int) (r rule, ok bool) {
	n := &s.res.Nodes[i]
	if len(n.In) < 3 || n.In[0].Rank() != 2 || n.In[1].Rank() != 2 || n.Out.Rank() != 2 {
		return r, false
	}
	length, heads, all := n.Out[0], n.In[1].At(-1), n.Out.At(-1)
	if length < 1 || heads < 1 || all < heads {
		return r, false
	}
	r = rule{heads: times(heads, s.o.Batch), chunks: (length + ruleChunk - 1) / ruleChunk, value: all / heads, key: n.FLOPs / max(1, times(6, length, all))}
	r.repeats = n.In[0].At(-1)-all < 2*heads*r.key
	return r, true
}

// keepRule is what the rule keeps. For every position: queries and keys in 32 bits as they are normalised, which 32-bit floats read where they
// are; both normalised, values, and keys times beta; what the corrections of the chunk make of values and keys; a row of the decays inside the
// chunk, and of the products of the keys with each other with those decays, and both products. For every chunk: the matrix of the head before
// it. What is multiplied then, queries and keys with their decay, the row of their products and the new values, is kept as it is, and by
// autocast as a copy for every product.
func (s *stepper) keepRule(p, i int) bool {
	r, ok := s.ruleOf(i)
	if !ok {
		return false
	}
	length := times(r.heads, s.res.Nodes[i].Out[0])
	if j := s.input(i, 0); j >= 0 && !r.repeats && s.productBytes() == 4 {
		s.share(p, s.source(j))
	} else {
		s.add(p, times(length, r.key, 4))
		s.add(p, times(length, r.key, 4))
	}
	states := times(r.heads, r.chunks, r.key, r.value)
	for _, bytes := range []int64{4 * r.key, 4 * r.key, 4 * r.value, 4 * r.key, 4 * r.value, 4 * r.key, 4 * ruleChunk, 4 * ruleChunk} {
		s.addChunks(p, r.heads, r.chunks, bytes)
	}
	// The first chunk reads no matrix that is trained, and nothing reads the one behind the last.
	if autocasts(s.o.Precision) {
		for _, bytes := range []int64{2 * r.key, 2 * r.key, 2 * r.key, 2 * r.key, 2 * ruleChunk, 2 * ruleChunk, 2 * ruleChunk, 2 * r.value} {
			s.addChunks(p, r.heads, r.chunks, bytes)
		}
		for _, bytes := range []int64{2 * r.key, 2 * r.key, 2 * r.key, 2 * r.value} {
			s.addChunks(p, r.heads, r.chunks-1, bytes)
		}
		s.add(p, times(states, 2))
		s.add(p, times(states, 2))
	} else {
		for _, bytes := range []int64{4 * ruleChunk, 4 * ruleChunk, 4 * ruleChunk, 4 * r.value} {
			s.addChunks(p, r.heads, r.chunks, bytes)
		}
		if r.chunks > 1 {
			s.addChunks(p, r.heads, r.chunks, 4*r.key)
			s.addChunks(p, r.heads, r.chunks, 4*r.key)
		}
	}
	if s.productBytes() == 4 && s.res.Nodes[i].Out[0]%ruleChunk == 0 && (r.repeats || r.chunks > 1) {
		for range 4 { // nothing is filled up, so that the order in memory is still that of what arrives, and products copy
			s.addChunks(p, r.heads, r.chunks, 4*r.key)
		}
	}
	s.add(p, times(states, 4))
	for range ruleNumbers {
		s.addChunks(p, r.heads, r.chunks, 4)
	}
	return true
}

// addChunks keeps a tensor of chunks.
func (s *stepper) addChunks(p int, heads, chunks, bytes int64) {
	s.add(p, times(heads, chunks, ruleChunk, bytes))
}

// ruleNumbers is how many numbers of a head are kept for each position: roots of the norms, beta, steps and decays.
const ruleNumbers = 10
