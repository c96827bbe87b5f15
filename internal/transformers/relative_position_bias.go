package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// PositionBias is T5Attention.compute_bias: a number for each head and pair of positions, one for all samples, whose heads come first in a view alone.
// There are no scores yet that it would be added to.
type PositionBias struct{}

var _ = usual(PositionBias{}, "relativePositionBias")

// Lower looks the buckets of distances up.
func (PositionBias) Lower(l *catalog.Lowering) op.Value {
	p, queries, keys := l.P, l.In[0][1], l.In[0][2]
	buckets := op.Constant(p, op.Int64, true, queries, keys)
	return op.Transposed(p, op.Embedding(p, buckets, l.W("weight")), l.Out...)
}
