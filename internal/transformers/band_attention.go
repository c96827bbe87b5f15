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

// Diagonals is the band of scores, (positions, heads, two reaches and one), that LongformerSelfAttention copies out of those of chunks, and fills where
// it lies beyond either end of the text (_mask_invalid_locations).
type Diagonals struct{}

var _ = register("LongformerSelfAttention", "scores of a band of three blocks", Diagonals{}, "customModule")

// Lower copies it, and fills both ends.
func (Diagonals) Lower(l *catalog.Lowering) op.Value {
	band := op.Moved(l.P, l.Out, l.X...)
	if len(l.Out) != 3 {
		return band
	}
	reach := min((l.Out[2]-1)/2, l.Out[0])
	for range 2 {
		band = op.FillInPlace(l.P, band, reach, l.Out[1], reach+1)
	}
	op.Beside(l.P, 35) // blocks are cut, joined and masked in Python
	return band
}
