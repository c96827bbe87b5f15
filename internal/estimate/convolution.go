package estimate

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// convolution is one that cuDNN runs, as far as its workspaces depend on it. The sizes are counts of elements, of a whole batch.
type convolution struct {
	in, out, weight int64
	wide, narrow    int64 // channels that come in and go out
	groups, batch   int64
	area            int64 // of the kernel
	places          int64 // of the larger of the two pictures
	side            int64 // its longest axis
	reach           int64 // the kernel's longest axis
	strided         bool
}

// convolutionOf reads what a component of one convolution is, and whether cuDNN runs it: PyTorch has kernels of its own for one that
// sees each channel by itself.
func convolutionOf(n *infer.Node, batch int64) (convolution, bool) {
	kernels, shape := 0, catalog.Shape(nil)
	for k := range n.Weights {
		if w := n.Weights[k].Shape; w.Rank() >= 3 {
			kernels, shape = kernels+1, w
		}
	}
	if kernels != 1 || n.Out.Rank() < 2 || len(n.In) != 1 || n.In[0].Rank() != n.Out.Rank() || n.Type.Has(catalog.HasResidual) ||
		!n.Type.Has(catalog.IsAffine) || strings.HasPrefix(n.Type.ID, "depthwise") {
		return convolution{}, false
	}
	in := n.In[0]
	c := convolution{in: times(max(0, in.Size()), batch), out: times(max(0, n.Out.Size()), batch), weight: max(0, shape.Size()),
		wide: max(1, in[0]), narrow: max(1, n.Out[0]), groups: max(1, arg(n, "groups").Int()), batch: batch, area: max(0, shape[2:].Size())}
	c.places = max(in[1:].Size(), n.Out[1:].Size())
	for k := 1; k < in.Rank(); k++ {
		c.side = max(c.side, in[k], n.Out[k])
		c.strided = c.strided || 2*n.Out[k] <= in[k]+1 && in[k] > 1 || 2*in[k] <= n.Out[k]+1 && n.Out[k] > 1
	}
	for _, k := range shape[2:] {
		c.reach = max(c.reach, k)
	}
	return c, c.groups < c.wide || c.groups == 1
}

// What cuDNN does on an H200, seen in measured runs, most of it to the byte.
const (
	fewPlaces    = 256     // a kernel of one place reads smaller pictures with their channels last, and others as they are
	sumParts     = 14      // the gradient of a small weight is summed in about as many parts where channels do not fill the kernel's tiles,
	partPlaces   = 128     // each of at least so many places of the result,
	partBytes    = 1 << 19 // and of at most this size
	tile         = 64      // channels
	wideParts    = 32      // in 32 bits the gradient of a kernel of one place that is read at few
	channelBytes = 16      // of the channels of a place, at the least
	groupParts   = 25      // likewise of a convolution in groups, in the width of its input; in 32 bits, no more than there are pictures
)

// forwardSpace is what cuDNN takes to run a convolution. Its kernels for current cards want the channels last: what is read, what is
// written and the weight are copied. Those of groups have each group's channels filled up to a power of two, and read a second copy.
// A kernel of one place is a product of matrices and takes nothing.
func (c *convolution) forwardSpace(size int64) int64 {
	switch {
	case c.groups > 1:
		in, out, weight := c.filled()
		return block(times(plus(times(2, in), out, times(2, weight)), size))
	case c.area == 1:
		return 0
	}
	space := times(plus(c.in, c.out, c.weight), size)
	if c.wide*size < channelBytes {
		space = plus(space, c.unrolled(size))
	}
	return block(space)
}

// unrolled is what a convolution of a picture's few colours takes beside the copies: the channels of its input are filled up, and where 5 by 5
// of them are read at every other place, what each place of the result reads is written out. Measured to the byte in 32 bits.
func (c *convolution) unrolled(size int64) int64 {
	if c.reach == 5 && c.area == 25 && c.strided {
		return times(c.out/c.narrow, c.area, channelBytes)
	}
	if size == 2 {
		return times(c.in/c.wide, channelBytes) - times(c.in, size)
	}
	return 0
}

// backwardSpace is the most that cuDNN takes for the two gradients of a convolution: that of its input, and that of its weight, which is
// summed in parts. A kernel of one place copies small pictures, those it strides over, and those whose channels fill no whole 16 bytes; the
// weight has one order only, which in 32 bits is copied none the less. Groups that have to be filled up read a second copy where they stride.
func (c *convolution) backwardSpace(size int64) int64 {
	switch {
	case c.groups > 1:
		in, out, weight := c.filled()
		all := plus(in, out, weight)
		if c.strided && (in > c.in || out > c.out) {
			all = plus(all, in)
		}
		if times(weight, size) <= partBytes {
			all = max(all, plus(c.in, c.out, times(c.groupParts(size), weight)))
		}
		return block(times(all, size))
	case c.area == 1 && !c.strided && (c.places > fewPlaces && c.narrow%8 == 0 || c.wide < 32 && size == 2):
		return 0
	case c.area == 1 && size == 2:
		return block(plus(times(plus(c.in, c.out), size), c.pointParts()))
	case c.area == 1 && c.out/c.narrow <= partPlaces && !c.strided:
		return block(times(plus(c.in, c.out, times(wideParts, c.weight)), size))
	}
	space := times(plus(c.in, c.out, c.weight), size)
	if part := times(c.weight, 4); part <= partBytes && c.area > 1 {
		space = plus(space, times(c.parts(size), part))
	}
	return block(max(space, c.transformed(size)))
}

// groupParts is in how many parts the gradient of a weight in groups is summed.
func (c *convolution) groupParts(size int64) int64 {
	if size == 4 {
		return min(groupParts, c.batch)
	}
	return groupParts
}

// parts is in how many parts the gradient of a small weight is summed: the better its channels fill the tiles, the fewer, each of more
// places. One part is no sum.
func (c *convolution) parts(size int64) int64 {
	limit, places := int64(sumParts), int64(partPlaces)
	switch {
	case c.wide%(2*tile) == 0 && c.narrow%(2*tile) == 0:
		return 0
	case c.wide%tile == 0 && c.narrow%tile == 0 && size == 2:
		limit, places = sumParts/2, 8*partPlaces
	case c.wide < tile || c.narrow < tile:
		places = 4 * partPlaces
	}
	if parts := min(limit, c.out/c.narrow/places); parts > 1 {
		return parts
	}
	return 0
}

// pointParts is the parts that the gradient of a small kernel of one place is summed in.
func (c *convolution) pointParts() int64 {
	part, parts := times(c.weight, 4), min(sumParts, c.out/c.narrow/partPlaces)
	if c.strided || part > partBytes || parts < 2 {
		return 0
	}
	return times(parts, part)
}

// filled is the elements of input, result and weight with the channels of each group filled up to a power of two.
func (c *convolution) filled() (in, out, weight int64) {
	from, to := c.wide/c.groups, c.narrow/c.groups
	wide, narrow := power(from), power(to)
	in, out = times(c.in/max(1, from), wide), times(c.out/max(1, to), narrow)
	return in, out, times(c.groups, narrow, wide, c.area)
}

// power is the smallest power of two that is not less than n, as far as amounts go.
func power(n int64) int64 {
	p := int64(1)
	for p < n && p < most {
		p *= 2
	}
	return p
}

// transformed is what the gradients of a convolution of 5 by 5 take in 32 bits: it is done with a Fourier transform over 32 places each
// way of every channel of a picture and of every pair of channels of the weight. Measured in three runs: 6.7 to 7.1 KiB for each.
func (c *convolution) transformed(size int64) int64 {
	if size != 4 || c.reach < 5 || c.area != c.reach*c.reach || c.strided || c.side+c.reach-1 > 32 || c.side+c.reach-1 <= 16 {
		return 0
	}
	return times(plus(plus(c.in, c.out)/max(1, c.places), times(c.wide, c.narrow)), 6912)
}
