package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// ScoresInMemory is attention of heads that lie behind the positions, as the vision models write it that know no other (MobileViTSelfAttention,
// DonutSwinSelfAttention): torch.matmul, a quotient, a softmax in the width of the scores and torch.matmul.
type ScoresInMemory struct{}

var _ = usual(ScoresInMemory{}, "scaledDotProductAttention")

// Lower is the forward method between its maps. torch.matmul copies views whose axes before the matrices cannot be one.
func (ScoresInMemory) Lower(l *catalog.Lowering) op.Value {
	p := l.P
	rows := func(k int) op.Value {
		if x := l.X[k]; p.Tensors[x].Strided {
			return op.InRows(p, x, l.In[k]...)
		}
		return l.X[k]
	}
	turned := append([]int64{}, l.In[1]...)
	last := len(turned) - 1
	turned[last-1], turned[last] = turned[last], turned[last-1]
	scores := op.Scale(p, op.MatMul(p, rows(0), op.View(p, rows(1), turned...)))
	if len(l.X) > 3 {
		scores = op.Add(p, scores, l.X[3])
	}
	weights := op.Softmax(p, scores)
	out := op.MatMul(p, weights, rows(2))
	op.Alive(p, scores)
	op.Alive(p, weights)
	return out
}
