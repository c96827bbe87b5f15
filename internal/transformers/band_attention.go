package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// SlidingChunks is LongformerSelfAttention, or LEDEncoderSelfAttention, between its projections and what follows, without global positions.
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
