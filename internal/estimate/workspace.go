package estimate

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// How PyTorch sums the columns of a matrix (Reduce.cuh): a block of 32 by 4 threads adds four columns each, so 128 columns and 4 rows
// of them at once, in at least 16 steps; as many blocks share a column as the rows give and the card can run. What every thread found
// goes through memory, in 32-bit floats for each column and each of the 128 places of a block. Seen to the byte in the measured runs.
const (
	sumColumns  = 128
	sumRows     = 4 * 16
	sumBlocks   = 132 * 16 // what an H200 runs at once: its multiprocessors, and blocks of 128 threads on one
	sumBytes    = 4 * sumColumns
	smallestSum = 4 * 256 // fewer rows are summed by one block
)

// sumWorkspace is what the sum over the rows of a matrix needs while it runs.
func sumWorkspace(rows, columns int64) int64 {
	if rows < smallestSum || columns < sumColumns {
		return 0
	}
	across := (columns + sumColumns - 1) / sumColumns
	blocks := min((rows+sumRows-1)/sumRows, (sumBlocks+across-1)/across)
	if blocks < 2 {
		return 0
	}
	return times(blocks, columns, sumBytes)
}

// biasInner is what the backward pass of a component holds while it sums the gradient of a bias, the last thing that a linear map
// does, beside the gradients of its inputs. At an inner map its result and what was made of it are free by then, and the gradient
// of the result is there.
func (s *stepper) biasInner(i int, largest int64) int64 {
	n := &s.res.Nodes[i]
	if !multiplies(n) || convolves(n) || n.Type.Has(catalog.IsRecurrent) || n.Out == nil || n.Out.Rank() == 0 || !s.shares[i].own ||
		n.Out.Rank() > 2 && !n.Type.Has(catalog.IsAffine) { // maps of a whole image are of its means
		return largest
	}
	positions := times(max(0, n.Out.Size())/max(1, n.Out.At(-1)), s.batch(i))
	most := largest
	for k := range n.Weights {
		w := &n.Weights[k]
		if w.Shape.Rank() != 1 || !strings.HasSuffix(w.Name, "bias") || w.Times > 1 || !mapped(n, w) {
			continue
		}
		columns := w.Shape[0]
		space := sumWorkspace(positions, columns)
		if columns == n.Out.At(-1) {
			if s.unitOf(i) > 0 { // what was computed again is freed where it is used
				most = max(most, space)
			} else {
				most = max(most, plus(largest, space))
			}
			continue
		}
		if freed := s.behind(i, times(positions/s.batch(i), columns)); freed > 0 { // else the map reads something else than positions
			most = max(most, plus(space, times(positions, columns, s.productBytes()))-freed)
		}
	}
	return most
}

// lastSum is what the sum of the gradient of a linear map's bias needs, or cuDNN for the gradients of a convolution.
func (s *stepper) lastSum(i int) int64 {
	n := &s.res.Nodes[i]
	if !autocasts(s.o.Precision) {
		return 0
	}
	if _, ok := convolutionOf(n, s.o.Batch); ok {
		return s.kind(i).back
	}
	if linears(n) != 1 && !tied(n) {
		return 0
	}
	return s.biasInner(i, 0)
}

// narrowed is what the backward pass of a component needs for itself, less what autocast has not yet cast to 32 bits while the gradient of a bias
// is summed, or while cuDNN works: the gradients of the matrix and of what it was multiplied with.
func (s *stepper) narrowed(i int, inner int64) int64 {
	k := s.kind(i)
	if k.sum == 0 || k.sum > inner || s.isMap(i) { // that is followed operation by operation
		return inner
	}
	n := &s.res.Nodes[i]
	later := k.own / 2
	if k.tied && !s.adds {
		later = plus(later, block(times(features(n), max(0, n.Out.At(-1)), weightSize(s.o.Precision)))/2)
	}
	for j := range s.inputs(i) {
		if s.trains[j] && !s.narrow[j] {
			later = plus(later, block(s.result(j))/2)
		}
	}
	return max(inner-k.sum, inner-later)
}

// behind is what a component keeps of the first new tensor with so many elements for a sample and of all that it computes after it.
func (s *stepper) behind(i int, elems int64) int64 {
	n := &s.res.Nodes[i]
	sum, found := int64(0), false
	for k := range n.Kept {
		kept := &n.Kept[k]
		if kept.Name == catalog.KeptInput || kept.Name == catalog.KeptOutput {
			continue
		}
		found = found || kept.As == catalog.AsActivation && kept.Elems == elems
		if found && (kept.Name != turnedResult || !s.turned(n)) {
			sum = plus(sum, s.newBytes(i, kept))
		}
	}
	return sum
}

// mapped reports whether a bias belongs to a matrix, and not to a norm. The matrix of a tied head is another component's.
func mapped(n *infer.Node, bias *catalog.Weight) bool {
	if tied(n) {
		return true
	}
	for k := range n.Weights {
		if w := &n.Weights[k]; w.Module == bias.Module && w.Shape.Rank() == 2 {
			return true
		}
	}
	return false
}

// largestStep is what Adafactor's loop over the tensors needs for the largest: the square of a matrix is put together from its rows and
// columns, which are summed before (torch.optim.Adafactor).
func largestStep(n *infer.Node, size int64) int64 {
	most := int64(0)
	for k := range n.Weights {
		w := n.Weights[k].Shape
		most = max(most, block(times(max(0, w.Size()), size)))
		if w.Rank() >= 2 {
			most = max(most, block(sumWorkspace(w.At(-2), w.At(-1))))
		}
	}
	return most
}
