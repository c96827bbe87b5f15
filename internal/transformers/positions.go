package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// Sinusoids is a table of sines and cosines that is no weight. A class that has it as a buffer declares how many rows that has; one that
// computes it for texts of any length declares anyLength.
type Sinusoids struct{}

// anyLength is what importers write as the length of a table that is made as long as the text is.
const anyLength = 1 << 20

var _ = usual(Sinusoids{}, "positionalEncoding")

// Lower adds the rows that are read: M2M100SinusoidalPositionalEmbedding selects them by index, into a tensor that has no gradient.
func (Sinusoids) Lower(l *catalog.Lowering) op.Value {
	if l.Int("maxLen") < anyLength {
		l.P.Buffer(op.Float, l.Int("maxLen"), l.Int("embedDim"))
	}
	return op.Add(l.P, l.X[0], op.Constant(l.P, op.Float, false, l.In[0]...))
}

// FixedPositions is a table of positions, of sines and cosines, that is an embedding's weight and not trained.
type FixedPositions struct{}

var _ = register("MarianSinusoidalPositionalEmbedding", "a table that is not trained", FixedPositions{}, "learnedPositionalEmbedding")

func (FixedPositions) untrained() bool { return true }

// Lower adds the rows that are read, as a tensor without a gradient (MarianSinusoidalPositionalEmbedding, whose weight has requires_grad=False).
func (FixedPositions) Lower(l *catalog.Lowering) op.Value {
	l.P.Buffer(op.Float, l.Int("maxLen"), l.Int("embedDim"))
	return op.Add(l.P, l.X[0], op.Constant(l.P, op.Float, true, l.In[0]...))
}

// Tensor is a parameter or a buffer of a model itself.
type Tensor struct {
	Flags bool // truth values, a byte each
}

var (
	_ = usual(Tensor{}, "parameter")
	_ = register("GPTNeoSelfAttention", "a mask of one byte an element", Tensor{Flags: true}, "parameter")
)

// Lower is the weight or the buffer as it is: one for all samples.
func (m Tensor) Lower(l *catalog.Lowering) op.Value {
	switch {
	case m.Flags:
		return op.View(l.P, l.P.Buffer(op.Byte, l.Out...), l.Out...)
	case len(l.Weights) == 0:
		return op.View(l.P, l.P.Buffer(op.Float, l.Out...), l.Out...)
	}
	return op.View(l.P, l.W(l.Weights[0].Path()), l.Out...)
}
