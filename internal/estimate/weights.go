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

// weightBytes is one copy of the trained tensors of a component with so many bytes an element.
func weightBytes(n *infer.Node, size int64) int64 {
	return weights(n, func(_ *catalog.Weight, elems int64) int64 { return fresh(times(elems, size)) })
}

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

// stateBytes is what an optimizer keeps of a component between steps, given the bytes of its weights; its states have the type
// of the weights.
func stateBytes(n *infer.Node, optimizer string, own, size int64) int64 {
	switch optimizer {
	case "sgd":
		return own
	case "sgd-plain":
		return 0
	case "adamw-8bit":
		return weights(n, func(_ *catalog.Weight, elems int64) int64 {
			if elems < 4096 { // min_8bit_size of bitsandbytes: small tensors keep 32-bit states
				return 2 * block(times(elems, 4))
			}
			return 2 * plus(block(elems), block(times(4, elems/256+1))) // a scale for every 256 elements
		})
	case "adafactor": // one number for each row and each column; all of a vector (torch.optim.Adafactor)
		return weights(n, func(w *catalog.Weight, elems int64) int64 {
			if w.Shape.Rank() < 2 {
				return block(times(elems, size))
			}
			rows, columns := elems/max(1, w.Shape.At(-1)), elems/max(1, w.Shape.At(-2))
			return plus(block(times(rows, size)), block(times(columns, size)))
		})
	}
	return times(2, own)
}

// stepCopies is how many copies of the gradients a step of an optimizer makes while it works. Measured: AdamW over lists of
// tensors, which PyTorch uses on a GPU unless fused is asked for, holds 5 times the weights where 4 would be expected.
func stepCopies(optimizer string) int64 {
	switch optimizer {
	case "adamw", "adam":
		return 1
	}
	return 0
}
