package estimate

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// insideUse is what a component holds of its own before there is its result, and beside it.
func (s *stepper) insideUse(i int, size int64) (inside, last int64) {
	n := &s.res.Nodes[i]
	if h, ok := s.headsOf(i); ok {
		queries, repeated := times(h.queries, h.count, h.features, s.o.Batch, size), int64(0)
		if h.kv < h.count { // keys and values for each head of the queries
			repeated = times(h.keys, h.count, plus(h.features, h.values), s.o.Batch, size)
		}
		inside, last = innerBytes(n, s.o.Batch, size)
		switch s.kernel(i, h) {
		case "eager":
			inside = plus(queries, repeated)
		case "math": // in 32 bits, and with the queries scaled first
			inside = plus(times(2, queries), repeated)
			if size == 2 {
				inside = plus(queries, times(2, queries, 2), times(2, repeated))
			}
		}
		return inside, last
	}
	if groups(n, s.how[i]) && !s.how[i].has(looped) && n.Out.Rank() > 0 {
		return s.insideExperts(i, size)
	}
	if inside, last, ok := s.insideNative(i, size); ok {
		return inside, last
	}
	inside, last = innerBytes(n, s.o.Batch, size)
	return plus(inside, s.single(i, size)), last
}

// insideExperts is the same of transformers' experts: the positions that were gathered for each, what the first maps give, and what is made of that;
// then what the last maps give, that weighted, and in the order in which it came. Some compute every position for each expert.
func (s *stepper) insideExperts(i int, size int64) (inside, last int64) {
	n := &s.res.Nodes[i]
	rows := s.routedRows(i)
	if s.how[i].has(batched) {
		rows = times(max(0, n.Out.Size())/max(1, n.Out.At(-1)), max(1, arg(n, "numExperts").Int()), s.o.Batch)
	}
	gathered, hidden := block(times(rows, max(1, n.Out.At(-1)), size)), block(times(rows, max(0, arg(n, "expertDim").Int()), size))
	between := times(2, hidden)
	if arg(n, "gated").Bool() {
		between = times(4, hidden)
	}
	return max(plus(gathered, between), times(4, gathered)), gathered
}

// insideChunks is the same of transformers' recurrences that take chunk by chunk, and the positions of one. Of the gated delta rule, in 32 bits, it is what
// that makes of all positions first, keys and queries for each head of the values, and the matrix of a head as it is changed. In Mamba 2's a sum of products
// is computed as a product and a sum, and the first of those products, of all pairs of positions in a chunk, has a name until the end.
func (s *stepper) insideChunks(i int, size int64) (bytes, chunk int64) {
	if r, ok := s.recurrenceOf(i); ok {
		pairs := plus(times(r.chunk, r.state), times(5, r.chunk), times(3, r.state), times(3, r.features), times(r.features, max(r.chunk, r.state)))
		return times(r.padded(), r.heads, pairs, 4), r.chunk
	}
	if !s.how[i].has(chunks) {
		return 0, 0
	}
	r, ok := s.ruleOf(i)
	if !ok {
		return 0, 0
	}
	for _, features := range []int64{r.value, r.value, r.value, r.value, r.key, r.key, r.key, ruleChunk, ruleChunk} {
		bytes = plus(bytes, block(times(r.heads, r.chunks, ruleChunk, features, 4)))
	}
	if r.repeats {
		bytes = plus(bytes, times(2, block(times(r.heads, s.res.Nodes[i].Out[0], r.key, size))))
	}
	return plus(bytes, times(4, r.heads, r.key, r.value, 4), times(3, r.heads, ruleChunk, r.value, 4)), ruleChunk
}

// headsOf is the heads of attention of transformers'.
func (s *stepper) headsOf(i int) (heads, bool) {
	n := &s.res.Nodes[i]
	if !s.how[i].has(transformers) || !s.plainShapes(n) {
		return heads{}, false
	}
	switch n.Type.ID {
	case "groupedQueryAttention", "ropeAttention":
		return wholeHeads(n), true
	case "attentionCore":
		if len(n.In) >= 3 {
			return coreHeads(n), true
		}
	}
	return heads{}, false
}

// heldScores is what attention holds of its scores before there is its result, and beside it: in eager attention before the softmax and behind it, of 16
// bits with a copy in 32 between them; where transformers' falls back to the formula also which of them are masked.
func (s *stepper) heldScores(i int, size int64) (before, beside int64) {
	n := &s.res.Nodes[i]
	if n.Type.ID == "retention" && len(n.In) > 0 && n.In[0].Rank() == 2 { // beside them the decay of each head, and how far positions are apart
		places := times(n.In[0][0], n.In[0][0])
		one, fixed := times(places, max(1, arg(n, "numHeads").Int()), size), plus(times(places, max(1, arg(n, "numHeads").Int()), size), times(places, 8))
		return plus(times(2, one, s.o.Batch), fixed), plus(times(one, s.o.Batch), fixed)
	}
	if !s.how[i].has(transformers) || !s.plainShapes(n) {
		return times(s.scoresInUse(i), s.o.Batch), 0
	}
	h, _ := s.headsOf(i)
	each := int64(0)
	switch kernel := s.kernel(i, h); {
	case kernel == "math":
		each = 2*4 + 1
	case kernel == "eager" && size == 4:
		each = 2 * 4
	case kernel == "eager" && s.how[i].has(plain): // and those of the layer before
		each = 3 * 2
	case kernel == "eager":
		each = 2 + 2*4
	}
	return times(h.queries, h.count, h.keys, s.o.Batch, each), 0
}

// scoresInUse is what attention of PyTorch's holds of the scores of a sample, 0 where they are not in memory.
func (s *stepper) scoresInUse(i int) int64 {
	n := &s.res.Nodes[i]
	scores, size := keptScores(n), weightSize(s.o.Precision)
	if scores == 0 && s.o.Attention == "eager" {
		scores = s.scores(n) / max(1, s.o.Batch)
	}
	switch {
	case scores == 0:
		return 0
	case size == 2 && widensScores(n): // with the 32-bit copy that the softmax is taken of
		return times(scores, 2+2*4)
	}
	return times(scores, 2*size)
}

// single is what an activation holds that is written as single operations: what it is multiplied with, a power and the sum under way.
func (s *stepper) single(i int, size int64) int64 {
	n := &s.res.Nodes[i]
	if n.Type.ID != "gelu" || !s.how[i].has(transformers|steps) {
		return 0
	}
	return times(3, max(0, n.Out.Size()), s.o.Batch, size)
}

// innerBytes is the most that a component holds of what it computes on its way, and the largest of that.
func innerBytes(n *infer.Node, batch, size int64) (most, largest int64) {
	all := int64(0)
	for k := range n.Kept {
		kept := &n.Kept[k]
		if kept.As != catalog.AsActivation || kept.Name == catalog.KeptInput || kept.Name == catalog.KeptOutput {
			continue
		}
		count := batch
		if kept.Fixed {
			count = 1
		}
		bytes := block(times(kept.Elems, count, size))
		largest, all = max(largest, bytes), plus(all, bytes)
	}
	at := int64(2) // what one of them is made of is freed behind it
	if n.Type.Has(catalog.IsGated) || n.Type.Has(catalog.IsAttention) {
		at = 3
	}
	return min(all, times(at, largest)), largest
}
