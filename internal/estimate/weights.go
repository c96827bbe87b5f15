package estimate

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// weights sums what every trained tensor takes: a function of its elements gives the bytes of one.
func weights(n *infer.Node, bytes func(w *catalog.Weight, elems int64) int64) int64 {
	sum := int64(0)
	for i := range n.Weights {
		w := &n.Weights[i]
		sum = plus(sum, times(w.Times, bytes(w, max(0, w.Shape.Size()))))
	}
	return sum
}

// known reports whether a component runs in a step, as far as it is known. Weights are there whether it runs or not.
func known(n *infer.Node) bool { return n.State == infer.Legal || n.State == infer.Withheld }

// bufferBytes is what is there beside the weights: a constant, or of batch normalisation a mean and a variance for each channel
// and a count.
func bufferBytes(n *infer.Node, size int64) int64 {
	if n.Type.Has(catalog.IsTensor) && len(n.Weights) == 0 && n.Out != nil {
		return block(times(max(0, n.Out.Size()), size))
	}
	if !n.Type.Has(catalog.IsBatchNorm) || len(n.In) == 0 || n.In[0].Rank() == 0 {
		return 0
	}
	return plus(times(2, block(times(n.In[0][0], size))), blockBytes)
}
