package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// BlockAttention is bigbird_block_sparse_attention of modeling_big_bird.py: the first and the last block see everything, the second and the last but
// one see four blocks and some that are drawn, and each block between them the first, the last, itself, its neighbours and some that are drawn.
type BlockAttention struct {
	Block, Drawn int64 // positions of a block, and how many blocks are drawn
}

// sparse is one such attention while it is lowered.
type sparse struct {
	BlockAttention
	*catalog.Lowering
	h               op.Heads
	middle          int64 // blocks between the first two and the last two
	keys, values    op.Value
	drawnK, drawnV  op.Value // the blocks that were drawn for each but the first and the last
	names, contexts []op.Value
	queries         op.Value
}

// lower attends, of (positions, heads*features).
func (a BlockAttention) lower(l *catalog.Lowering, q, k, v op.Value, h op.Heads) op.Value {
	p := l.P
	s := &sparse{BlockAttention: a, Lowering: l, h: h, middle: h.Keys/a.Block - 4}
	view := func(x op.Value) op.Value { return op.Reshaped(p, x, h.Count, h.Keys, h.Features) }
	s.queries, s.keys, s.values = view(q), view(k), view(v)
	s.names = append(s.names, op.Constant(p, op.Float, false, h.Count, s.middle+2, a.Block, a.Drawn*a.Block)) // rand_mask
	s.drawnK, s.drawnV = s.draw(s.keys), s.draw(s.values)
	s.edge(s.all(s.keys), s.all(s.values))
	s.edge(s.five(s.keys, s.drawnK), s.five(s.values, s.drawnV))
	s.between()
	s.edge(s.five(s.keys, s.drawnK), s.five(s.values, s.drawnV))
	s.edge(s.all(s.keys), s.all(s.values))
	out := op.Concatenate(p, []int64{h.Count, h.Queries, h.Values}, s.contexts...)
	op.Beside(p, 100) // five kinds of blocks, each with its masks
	out = op.Mul(p, out, op.Constant(p, op.Float, false, 1, h.Queries, 1))
	s.names = append(s.names, op.Constant(p, op.Float, false, h.Count, h.Queries, h.Keys)) // attention_probs, put together for who asks
	named(p, s.names...)
	return op.Contiguous(p, op.Reshaped(p, out, h.Queries, h.Count*h.Values), h.Queries, h.Count*h.Values)
}

// draw is torch_gather_b2: the blocks that are drawn for all but the first and the last block. One index stands for all of a block.
func (s *sparse) draw(x op.Value) op.Value {
	p, drawn := s.P, (s.middle+2)*s.Drawn
	places := op.Constant(p, op.Int64, false, s.h.Count, drawn, 1)
	return op.Gather(p, x, op.View(p, places, s.h.Count, drawn*s.Block, s.h.Features))
}

// cut is some positions of a tensor.
func (s *sparse) cut(x op.Value, positions int64) op.Value {
	return op.View(s.P, x, s.h.Count, positions, s.h.Features)
}

// apart is a copy of some positions, head by head.
func (s *sparse) apart(x op.Value, positions int64) op.Value {
	return op.Contiguous(s.P, s.cut(x, positions), s.h.Count, positions, s.h.Features)
}

func (s *sparse) all(x op.Value) op.Value {
	return op.Contiguous(s.P, x, s.h.Count, s.h.Keys, s.h.Features)
}

// five is four blocks and those that were drawn.
func (s *sparse) five(x, drawn op.Value) op.Value {
	var parts []op.Value
	for range 4 {
		parts = append(parts, s.cut(x, s.Block))
	}
	parts = append(parts, s.cut(drawn, s.Drawn*s.Block))
	return op.Concatenate(s.P, []int64{s.h.Count, (4 + s.Drawn) * s.Block, s.h.Features}, parts...)
}

// edge is one block of queries that sees these keys.
func (s *sparse) edge(keys, values op.Value) {
	p := s.P
	h := s.h
	h.Queries, h.Keys = s.Block, p.Shape(keys)[1]
	scores := op.Scale(p, op.Scores(p, s.apart(s.queries, s.Block), keys, op.None, h))
	scores = op.AddInPlace(p, scores, op.Constant(p, op.Float, false, 1, 1, h.Keys))
	weights := s.weights(scores)
	s.contexts = append(s.contexts, op.Weigh(p, weights, values, h))
}

func (s *sparse) weights(scores op.Value) op.Value {
	weights := op.Softmax(s.P, scores)
	s.names = append(s.names, scores, weights)
	return weights
}

// between is all blocks but the first two and the last two.
func (s *sparse) between() {
	p, rows := s.P, s.middle*s.Block
	near := func(x op.Value) op.Value {
		part := s.cut(x, rows)
		return op.Concatenate(p, []int64{s.h.Count, 3 * rows, s.h.Features}, part, s.cut(x, rows), s.cut(x, rows))
	}
	nearK, nearV := near(s.keys), near(s.values)
	one := s.middleHeads(1)
	scores := []op.Value{
		s.product(nearK, s.middleHeads(3)),
		s.product(s.apart(s.drawnK, rows*s.Drawn), s.middleHeads(s.Drawn)),
		s.product(s.apart(s.keys, s.Block), one),
		s.product(s.apart(s.keys, s.Block), one),
	}
	for k, x := range scores {
		scores[k] = op.AddInPlace(p, x, op.Constant(p, op.Float, false, 1))
	}
	s.names = append(s.names, scores...)
	weights := s.weights(op.Concatenate(p, []int64{s.h.Count, rows, (5 + s.Drawn) * s.Block}, scores...))
	out := s.weigh(weights, nearV, s.middleHeads(3))
	out = op.AddInPlace(p, out, s.weigh(weights, s.apart(s.drawnV, rows*s.Drawn), s.middleHeads(s.Drawn)))
	for range 2 {
		out = op.AddInPlace(p, out, s.weigh(weights, s.apart(s.values, s.Block), one))
	}
	s.contexts = append(s.contexts, op.View(p, out, s.h.Count, rows, s.h.Values))
}

// middleHeads is attention of each block to so many of its own; to one that all share where it is one.
func (s *sparse) middleHeads(blocks int64) op.Heads {
	h := s.h
	if blocks == 1 {
		h.Queries, h.Keys = s.middle*s.Block, s.Block
		return h
	}
	h.Count, h.Queries, h.Keys = h.Count*s.middle, s.Block, blocks*s.Block
	return h
}

// product is the scores of the queries between with keys.
func (s *sparse) product(keys op.Value, h op.Heads) op.Value {
	p, rows := s.P, s.middle*s.Block
	scores := op.Scale(p, op.Scores(p, s.apart(s.queries, rows), keys, op.None, h))
	return op.View(p, scores, s.h.Count, rows, h.Keys)
}

// weigh is the product of a part of the weights with values.
func (s *sparse) weigh(weights, values op.Value, h op.Heads) op.Value {
	part := op.View(s.P, weights, h.Count, h.Queries, h.Keys)
	return op.View(s.P, op.Weigh(s.P, part, values, h), s.h.Count, s.middle*s.Block, s.h.Values)
}
