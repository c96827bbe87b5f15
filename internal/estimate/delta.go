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

// keepRule is what the rule keeps. For every position: queries, keys, values and keys times beta in 32 bits; keys times beta and decay,
// the same after all corrections of the chunk, and values times beta, as they are multiplied; a row of the decay inside the chunk as its
// exponential and without its upper half, the row's products and their corrections. For every chunk: the copies that the corrections are
// computed of, row by row; the matrix of the head before it, and in front of it the new values, and queries and keys with their decay. Autocast
// adds copies of all that is multiplied.
func (s *stepper) keepRule(p, i int) bool {
	r, ok := s.ruleOf(i)
	if !ok {
		return false
	}
	w, cast := int64(4), int64(0)
	if autocasts(s.o.Precision) {
		w, cast = 2, 2
	}
	if r.repeats {
		for range 2 {
			s.add(p, times(r.heads, s.res.Nodes[i].Out[0], r.key, s.productBytes()))
		}
	} else if j := s.input(i, 0); j >= 0 {
		s.share(p, s.source(j))
	}
	positions := times(r.heads, r.chunks, ruleChunk)
	for _, bytes := range []int64{4 * r.key, 4 * r.key, 4 * r.value, 4 * r.key, w * r.key, w * r.key, w * r.value, cast * r.key, cast * r.key,
		4 * ruleChunk, 4 * ruleChunk, w * ruleChunk, w * ruleChunk, cast * ruleChunk} {
		s.add(p, times(positions, bytes))
	}
	rows, square := int64(0), times(r.key, r.value)
	for row := range int64(ruleChunk) {
		rows += row*row + row
	}
	each := 4*rows + 4*square + 2*cast*square + ruleChunk*(w*r.value+2*w*r.key+2*cast*r.key+2*w*ruleChunk)
	s.add(p, times(r.heads, r.chunks, each))
	return true
}
