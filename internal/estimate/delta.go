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
	positions, states := times(r.heads, r.chunks, ruleChunk), times(r.heads, r.chunks, r.key, r.value)
	each := []int64{4 * r.key, 4 * r.key, 4 * r.value, 4 * r.key, 4 * r.value, 4 * r.key, 4 * ruleChunk, 4 * ruleChunk}
	if autocasts(s.o.Precision) {
		for range 7 { // four in front of the corrections, and three behind them
			each = append(each, 2*r.key)
		}
		each = append(each, 2*ruleChunk, 2*ruleChunk, 2*ruleChunk, 2*r.value, 2*r.value)
		s.add(p, times(states, 2))
		s.add(p, times(states, 2))
	} else {
		each = append(each, 4*r.key, 4*r.key, 4*ruleChunk, 4*ruleChunk, 4*ruleChunk, 4*r.value)
	}
	if s.productBytes() == 4 && s.res.Nodes[i].Out[0]%ruleChunk == 0 && (r.repeats || r.chunks > 1) { // nothing is filled up, and the order in memory is still that of what arrives: products copy
		each = append(each, 4*r.key, 4*r.key, 4*r.key, 4*r.key)
	}
	for _, bytes := range each {
		s.add(p, times(positions, bytes))
	}
	s.add(p, times(states, 4))
	for range ruleNumbers {
		s.add(p, times(positions, 4))
	}
	return true
}

// ruleNumbers is how many numbers of a head are kept for each position: roots of the norms, beta, steps and decays.
const ruleNumbers = 10
