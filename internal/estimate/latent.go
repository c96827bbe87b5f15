package estimate

import "github.com/modelverifier/verifier/internal/infer"

func latentHeads(n *infer.Node) heads {
	h := heads{queries: n.In[0][0], keys: n.In[0][0], count: max(1, arg(n, "numHeads").Int()), values: max(0, arg(n, "vHeadDim").Int())}
	h.kv, h.features = h.count, max(0, arg(n, "qkNopeHeadDim").Int())+max(0, arg(n, "qkRopeHeadDim").Int())
	return h
}

// keepLatent is attention through latent vectors: what arrives, for each of the two maps that read it; each latent vector as its norm
// keeps it, and as the next map reads it; queries and keys, which are put together of what the position turns and what it does not; and
// the values.
func (s *stepper) keepLatent(p, i int) {
	n := &s.res.Nodes[i]
	h, w := latentHeads(n), s.productBytes()
	rows := times(h.queries, s.o.Batch)
	if j := s.input(i, 0); j >= 0 {
		s.keepMapped(p, s.source(j), 2)
	}
	kv, rope := max(0, arg(n, "kvLoraRank").Int()), max(0, arg(n, "qkRopeHeadDim").Int())
	if q := arg(n, "qLoraRank").Int(); q > 0 {
		s.keepLatentNorm(p, i, rows, q, q)
	}
	s.keepLatentNorm(p, i, rows, kv, plus(kv, rope))
	s.add(p, times(rows, h.count, h.features, w))
	s.add(p, times(rows, h.count, h.features, w))
	kernel := s.kernel(i, h)
	if kernel == "eager" { // a copy of the values, whose heads lie one after the other
		s.add(p, times(rows, h.count, h.values, w))
	} else { // a part of what keys and values were made in
		s.add(p, times(rows, h.count, plus(h.features-rope, h.values), w))
	}
	s.add(p, times(rows, h.count, h.values, w))
	if kernel == "fused" && w == 2 { // queries that were put together lie head by head, and the result as they do
		s.add(p, times(rows, h.count, h.values, w))
	}
	s.keepAttended(p, i, h, kernel)
}

// keepMapped keeps what so many maps read: under autocast a copy for each where it is wide.
func (s *stepper) keepMapped(p, owner, maps int) {
	if !autocasts(s.o.Precision) || s.narrow[owner] || s.res.Nodes[owner].OutIsInt {
		s.share(p, owner)
		return
	}
	for range maps {
		s.add(p, times(max(0, s.res.Nodes[owner].Out.Size()), s.o.Batch, 2))
	}
}

// keepLatentNorm is a latent vector of so many features, which may be a part of what its map gives: in 32 bits as its norm reads it, the
// root of each position, the normalised values, and those scaled, as the next map reads them.
func (s *stepper) keepLatentNorm(p, i int, rows, features, mapped int64) {
	w := s.productBytes()
	if w == 2 {
		mapped = features
	}
	s.add(p, times(rows, mapped, 4))
	s.add(p, times(rows, 4))
	normed := w
	if s.how[i].has(wide) {
		normed = 4
	}
	s.add(p, times(rows, features, normed))
	s.add(p, times(rows, features, w))
}

// choosesKeys reports whether attention has a mask that an indexer made, which gets no gradient.
func (s *stepper) choosesKeys(i int) bool {
	j := s.input(i, 3)
	return j >= 0 && s.how[s.source(j)].has(detached)
}

func (s *stepper) coreHeads(i int) heads {
	h := coreHeads(&s.res.Nodes[i])
	h.masked = h.masked || s.choosesKeys(i)
	return h
}

// addsBias reports whether attention has a bias that is added to its scores.
func (s *stepper) addsBias(i int) bool {
	return len(s.res.Nodes[i].In) > 3 && s.res.Nodes[i].Type.ID == "attentionCore" && !s.choosesKeys(i)
}

// spreadBytes is what an indexer's product of queries, which have their heads last, and keys has beside its result: a copy of all keys for
// each query, or the result once more as it is scaled; the queries before they were turned, and the half that was; and in bf16 the queries in
// 32 bits, and the other half of the result's width. Autocast multiplies in 16 bits all the same.
func (s *stepper) spreadBytes(n *infer.Node) int64 {
	if len(n.In) < 2 || n.In[0].Rank() != 3 || n.In[1].Rank() != 2 {
		return 0
	}
	queries, result := max(0, n.In[0].Size()), max(0, n.Out.Size())
	wide, each := int64(4), int64(6)
	switch {
	case autocasts(s.o.Precision):
		wide, each = 2, 8
	case s.o.Precision == "bf16":
		each = 7
	}
	elems := max(times(n.In[0][0], max(0, n.In[1].Size())), result)
	return block(times(s.o.Batch, plus(times(elems, wide), times(queries, each), times(result, wide-s.productBytes()))))
}
