package op

import "slices"

// Card is what decides how many blocks of threads run on a card at once. The zero value is an H200, on which runs were measured.
type Card struct {
	Processors int64 // multiprocessors
	Threads    int64 // that run on one
}

// blocks is how many blocks of so many threads run at once.
func (c Card) blocks(threads int64) int64 {
	if c.Processors == 0 {
		c = Card{Processors: 132, Threads: 2048}
	}
	return c.Processors * (c.Threads / threads)
}

// How PyTorch sums the columns of a matrix (Reduce.cuh): a block of 32 by 4 threads adds four columns each, so 128 columns and 4 rows
// of them at once, in at least 16 steps; as many blocks share a column as the rows give and the card can run. What every thread found
// goes through memory, in 32-bit floats for each column and each of the 128 places of a block. Seen to the byte in the runs that were measured.
const (
	sumThreads  = 32 * 4
	sumColumns  = 128
	sumRows     = 4 * 16
	sumBytes    = 4 * sumColumns
	smallestSum = 4 * 256 // fewer rows are summed by one block
)

// sums makes the gradient of an input that was broadcast. Where it has the last axes of the result, rows of a matrix are summed.
func (s *Step) sums(g *Gradients, k int) {
	in, out := s.input(k), s.output()
	shape := in.Shape
	for len(shape) > 0 && shape[0] == 1 {
		shape = shape[1:]
	}
	if at := len(out.Shape) - len(shape); g.Needs(k) && at >= 0 && slices.Equal(out.Shape[at:], shape) {
		rows := out.Elems() / max(1, in.Elems())
		if !out.Shared {
			rows *= g.Batch
		}
		g.Passing(g.Card.SumWorkspace(rows, in.Elems()))
	}
	g.New(k)
}

// SumWorkspace is what the sum over the rows of a matrix needs while it runs.
func (c Card) SumWorkspace(rows, columns int64) int64 {
	if rows < smallestSum || columns < sumColumns {
		return 0
	}
	across := (columns + sumColumns - 1) / sumColumns
	blocks := min((rows+sumRows-1)/sumRows, (c.blocks(sumThreads)+across-1)/across)
	if blocks < 2 {
		return 0
	}
	return blocks * columns * sumBytes
}
