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
	case call.Width == 1: // tensor cores multiply 8-bit integers twice as fast as 16-bit floats
		rate = 2 * c.half
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
	moved, flops, half := float64(call.Bytes)/c.bytes, float64(call.FLOPs), call.Width == 2
	turned := float64(r.Turned * moved)
	slow := func(wide, narrow float64) float64 {
		if half {
			return max(flops/float64(c.fp32*narrow), turned)
		}
		return max(flops/float64(c.fp32*wide), moved/r.Memory)
	}
	switch {
	case call.Bound == op.ByThinConvolution:
		return slow(r.Thin, r.Thin16)
	case call.Bound == op.ByGroupedConvolution:
		return slow(r.Grouped, r.Grouped16)
	case call.Bound == op.ByDepthwiseConvolution && half: // its elements are moved rather than multiplied
		return float64(r.Depthwise16 * moved)
	case call.Bound == op.ByDepthwiseConvolution:
		return max(flops/float64(c.fp32*r.Depthwise), moved/r.Memory)
	case half:
		return turned + max(flops/float64(c.half*r.Convolution), moved/r.Memory)
	}
	return max(flops/float64(c.tf32*r.Convolution), moved/r.Memory)
}

// attention is an attention kernel: what it multiplies, and what it reads and writes, which matters where sequences are short.
func (r *Rates) attention(call *tape.Call, c *Card) float64 {
	features := float64(call.Matrix.Inner)
	rate := float64(c.half*r.Attention) * (features / (features + r.HeadFeatures))
	if call.Width == 4 {
		rate = float64(c.fp32 * r.WideAttention)
	}
	if call.Phase == tape.Backward {
		rate = float64(rate * r.BackAttention)
	}
	return float64(call.FLOPs)/max(rate, 1) + float64(r.MovedAttention*float64(call.Bytes))/c.bytes
}
