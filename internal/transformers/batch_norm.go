package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// BatchNorm is torch.nn.BatchNorm1d of rows, where the features come last: batch_norm(x.flatten(0, 1)) of modeling_levit.py. The type has the features
// first, so that a graph transposes them.
type BatchNorm struct{}

var _ = usual(BatchNorm{}, "batchNorm")

// Lower is the type's own, whose result lies as what arrives.
func (BatchNorm) Lower(l *catalog.Lowering) op.Value {
	y := Same{}.Lower(l)
	if len(l.Out) == 2 {
		l.P.Lies(y, l.X[0])
	}
	return y
}
