package estimate

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// sequences reports whether a component is a recurrent layer of torch.nn, which cuDNN runs: its reserve has a head.
func sequences(n *infer.Node) bool {
	if !n.Type.Has(catalog.IsRecurrent) {
		return false
	}
	for k := range n.Kept {
		if n.Kept[k].Name == "head of the reserve" {
			return len(n.In) > 0 && n.In[0].Rank() == 2
		}
	}
	return false
}

// sequenceBytes is the results of all steps of a recurrent layer, whether they are returned or not.
func (s *stepper) sequenceBytes(i int) int64 {
	n := &s.res.Nodes[i]
	features := n.Out.At(-1)
	return times(n.In[0][0], features, s.o.Batch, s.productBytes())
}

// sequenceKept is what the catalogue's entry leaves out: of a layer that returns its last step all of them, and in bf16 the weights
// in one piece, which the layer's own cast to bf16 left in several (measured; cuDNN wants them so).
func (s *stepper) sequenceKept(i int) int64 {
	n, sum := &s.res.Nodes[i], int64(0)
	if n.Out.Rank() == 1 {
		sum = s.note(s.sequenceBytes(i))
	}
	if s.o.Precision == "bf16" {
		sum = plus(sum, s.note(weightBytes(n, 2)))
	}
	return sum
}

// innerSequence is what the backward pass of a recurrent layer needs for itself: cuDNN's workspace, five times the steps' results in
// measured runs of LSTM and GRU with one layer and with three, and copies of the gradients of its result and its input with the
// steps first. That of a result that is the last step is made as large as all of them. In seven such runs of LSTMs with 256 features, over
// sounds, cuDNN took more, whose kernels for narrow layers are others, and of the input there was one more copy; not so with 512 and 768.
func (s *stepper) innerSequence(i int) int64 {
	n := &s.res.Nodes[i]
	results, read := s.sequenceBytes(i), times(max(0, n.In[0].Size()), s.o.Batch, s.productBytes())
	switch {
	case n.Out.Rank() == 1 && n.Out[0]/directions(n) <= narrowFeatures:
		return plus(scale(results, 94, 10), times(2, read), times(directions(n), directionBytes))
	case n.Out.Rank() == 1:
		return plus(times(7, results), read)
	}
	return plus(times(6, results), read)
}

// directionBytes is what cuDNN takes for one direction of a recurrent layer of at most narrowFeatures, however short it is.
const (
	directionBytes = 14 << 19
	narrowFeatures = 256
)

// directions is 2 for a layer that reads its input from the end too.
func directions(n *infer.Node) int64 {
	if strings.HasPrefix(n.Type.ID, "bidirectional") || arg(n, "bidirectional").Bool() {
		return 2
	}
	return 1
}

// turnsSteps reports whether a linear map copies its input: a recurrent layer's result has the steps first in memory, and the batch first
// in its shape.
func (s *stepper) turnsSteps(i, owner int) bool {
	n, from := &s.res.Nodes[i], &s.res.Nodes[owner]
	return sequences(from) && from.Out.Rank() == 2 && n.Type.Has(catalog.IsAffine) && multiplies(n)
}

// oneByOne is the positions that a component takes one after the other in single operations, 0 where it does not: what is kept is many small
// tensors, of which most are products with 32-bit numbers whatever autocast multiplies in. Those of transformers are counted by themselves.
func (s *stepper) oneByOne(i int) int64 {
	n := &s.res.Nodes[i]
	switch n.Type.ID {
	case "mamba", "mamba2", "rwkvTimeMix":
		if n.Out.Rank() == 2 && !s.how[i].has(transformers) {
			return max(1, n.Out[0])
		}
	}
	return 0
}
