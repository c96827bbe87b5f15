package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// BandAttention is the sliding window of LEDEncoderSelfAttention: a position sees as many on both sides of it as a block has. Queries arrive block by
// block, keys and values as three blocks for each; the blocks are counted as heads.
type BandAttention struct{ Dropout bool }

// lower is _sliding_chunks_query_key_matmul, the softmax of the band, and _sliding_chunks_matmul_attn_probs_value.
func (a BandAttention) lower(l *catalog.Lowering, q, k, v op.Value, h op.Heads) op.Value {
	p, side, band := l.P, h.Queries, 2*h.Queries+1
	chunks := op.Heads{Queries: 2 * side, Keys: 2 * side, Count: h.Count, Features: h.Features, Values: h.Values}
	chunked := func(x op.Value) op.Value { // _chunk: two blocks each, of which one is that of the next, counted as if there were one behind the last, too
		shape := []int64{chunks.Count, 2 * side, h.Features}
		return op.Contiguous(p, op.AsStrided(p, x, shape...), shape...)
	}
	scores := op.Padded(p, op.Scores(p, chunked(q), chunked(k), op.None, chunks), chunks.Count, 2*side+1, 2*side)
	scores = op.CopySlices(p, scores, h.Count, side, band)
	width := p.Width(scores)
	weights := op.Softmax(p, op.To(p, scores, 4))
	named(p, scores)
	weights = op.To(p, op.MaskedFill(p, weights, op.Constant(p, op.Byte, false, 1)), width)
	if a.Dropout {
		weights = op.Dropout(p, weights)
	}
	spread := op.Padded(p, weights, h.Count, side, h.Keys+2) // _pad_and_diagonalize
	spread = op.View(p, spread, h.Count, side, h.Keys)
	values := op.View(p, v, h.Count, h.Keys, h.Values)
	out := op.Weigh(p, spread, values, h)
	named(p, weights)
	return op.Contiguous(p, op.Reshaped(p, out, side, h.Count*h.Values), side, h.Count*h.Values)
}

// SlidingChunks is LongformerSelfAttention between its projections and LongformerSelfOutput, without global positions.
type SlidingChunks struct{}

var _ = register("LongformerSelfAttention", "a softmax of an fp32 copy of a band of scores", SlidingChunks{}, "bandAttention")

// Lower multiplies overlapping pieces of queries and keys, copies the band of positions that see each other out of the products, fills it where it
// lies beyond either end of the text (_mask_invalid_locations), and spreads the weights over pieces of the values.
func (SlidingChunks) Lower(l *catalog.Lowering) op.Value {
	p, s, h, w := l.P, l.In[0][0], l.Int("numHeads"), l.Int("windowSize")
	d, pieces, blocks := l.In[0][1]/h, s/w-1, s/w
	cut := func(x op.Value) op.Value {
		if pieces == 1 {
			return op.Transposed(p, op.View(p, x, s, h, d), h, s, d)
		}
		return op.Moved(p, []int64{h * pieces, 2 * w, d}, x)
	}
	q, k := cut(l.X[0]), cut(l.X[1])
	band := op.Moved(p, []int64{s, h, 2*w + 1}, op.MatMul(p, q, op.Transposed(p, k, h*pieces, d, 2*w)))
	for range 2 {
		band = op.FillInPlace(p, band, w, h, w+1)
	}
	op.Beside(p, 35) // blocks are cut, joined and masked in Python
	weights := op.To(p, op.Softmax(p, op.To(p, band, 4)), p.Width(band))
	if l.InnerDropout() > 0 {
		weights = op.Dropout(p, weights)
	}
	weights = op.Moved(p, []int64{h * blocks, w, 3 * w}, weights)
	y := op.MatMul(p, weights, op.Moved(p, []int64{h * blocks, 3 * w, d}, l.X[2]))
	y = op.Transposed(p, op.Reshape(p, y, h, s, d), s, h, d)
	return op.Reshape(p, y, s, h*d)
}
