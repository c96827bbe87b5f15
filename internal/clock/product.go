package clock

import (
	"github.com/modelverifier/verifier/internal/op"
	"github.com/modelverifier/verifier/internal/tape"
)

// tile is the rows and the columns of a result that one multiprocessor computes at once, and mostWaves how much longer than its arithmetic a product of
// few tiles takes at the most: cuBLAS cuts the sums of small results into parts.
const (
	tile      = 128
	mostWaves = 4
)

// product is the arithmetic of a matrix product, or of two that give the gradients of another.
func (r *Rates) product(call *tape.Call, c *Card) float64 {
	rate, share := c.half, r.Narrow
	switch {
	case call.Width == 4 && c.inTF32:
		rate, share = c.tf32, r.TF32
	case call.Width == 4:
		rate, share = c.fp32, r.Wide
	}
	if m := &call.Matrix; m.Count > 1 {
		share = float64(share * r.Batched)
	}
	if call.Width == 2 || c.inTF32 {
		share = r.aligned(call, share)
	}
	micros := float64(call.FLOPs) / float64(rate*share)
	if call.Matrix.Count == 0 {
		return micros
	}
	return float64(micros * (1 + float64(r.Wave*min(mostWaves, c.processors/tiles(call)))))
}

// aligned is the share that a product reaches whose matrices have rows that begin at multiples of 4 bytes only, or of 2.
func (r *Rates) aligned(call *tape.Call, share float64) float64 {
	switch bytes := int64(call.Width) * ((call.Matrix.Inner | call.Matrix.Columns) & 3); { // the lowest bits that either has
	case bytes&3 != 0:
		return r.Odd
	case bytes&7 != 0:
		return r.Loose
	}
	return share
}

// tiles is how many multiprocessors can compute a product at once. Of two gradients it is the mean of the times that they take.
func tiles(call *tape.Call) float64 {
	m := &call.Matrix
	rows, inner, columns := cut(m.Rows), cut(m.Inner), cut(m.Columns)
	count := float64(max(1, m.Count))
	if call.Phase != tape.Backward {
		return float64(count * rows * columns)
	}
	return float64(count*2) / (1/float64(rows*inner) + 1/float64(inner*columns))
}

func cut(n int64) float64 { return float64(max(1, (n+tile-1)/tile)) }

// convolution is a convolution, or those that give its gradients. cuDNN wants the channels of 16-bit floats last, and turns what lies otherwise.
func (r *Rates) convolution(call *tape.Call, c *Card) float64 {
	moved, flops := float64(call.Bytes)/c.bytes, float64(call.FLOPs)
	rate, turned := float64(c.tf32*r.Convolution), 0.0
	if call.Width == 2 {
		rate, turned = float64(c.half*r.Convolution), float64(r.Turned*moved)
	}
	switch call.Bound {
	case op.ByThinConvolution:
		rate = float64(c.fp32 * r.Thin)
	case op.ByDepthwiseConvolution:
		if call.Width == 2 { // its elements are moved rather than multiplied
			return turned + float64(r.Depthwise16*moved)
		}
		rate = float64(c.fp32 * r.Depthwise)
	}
	return turned + max(flops/rate, moved/r.Memory)
}
