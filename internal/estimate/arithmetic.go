package estimate

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// What the arithmetic of a component consists of decides how much of a card's rate it reaches.

// arithmetic is how the FLOPs of a component are divided among kinds that run at different rates. The first six add up to one.
type arithmetic struct {
	products   float64 // with matrices whose rows begin where the units for matrices like them to
	loose, odd float64 // with matrices whose rows begin at multiples of 4 bytes only, and of 2
	dense      float64 // convolutions
	thin       float64 // those that read few channels at a time
	depthwise  float64 // those that read one
	windows    float64 // the part that the depthwise ones would have with windows of 3 by 3, which is what counts in 16 bits
}

// windowElems is the size of the window that depthwise convolutions of 16-bit floats are counted with: they move elements rather than
// multiply them, and take twice as long for one as those of 32 bits, whatever the window. Measured on MobileNets and ConvNeXts.
const windowElems = 9

// divide divides by weights: those of a component see the same positions, or nearly so. width is the bytes of an element that products
// read, 0 where their layout does not matter.
func divide(n *infer.Node, width int64) arithmetic {
	var a arithmetic
	all, channels := int64(0), int64(0)
	ungrouped := arg(n, "groups").Int() == 1 // one channel is all there is
	for i := range n.Weights {
		w := &n.Weights[i]
		size := times(w.Shape.Size(), w.Times)
		switch {
		case w.Shape.Rank() == 2:
			*a.product(w.Shape[0], w.Shape[1], width) += float64(size)
		case w.Shape.Rank() < 2:
			continue
		case w.Shape[1] == 1 && w.Shape[0] > 1 && !ungrouped:
			a.depthwise, channels = a.depthwise+float64(size), plus(channels, times(w.Shape[0], w.Times))
		default:
			a.dense += float64(size)
		}
		all = plus(all, size)
	}
	if all == 0 {
		a = arithmetic{}
		in, out := int64(0), int64(0)
		if len(n.In) > 0 && n.In[0].Rank() > 0 && n.Out.Rank() > 0 && tied(n) {
			in, out = n.In[0][n.In[0].Rank()-1], n.Out[n.Out.Rank()-1]
		}
		*a.product(in, out, width) = 1
		return a
	}
	if a.dense > 0 && thin(n) {
		a.thin, a.dense = a.dense, 0
	}
	a.windows = float64(windowElems * channels)
	for _, part := range []*float64{&a.products, &a.loose, &a.odd, &a.dense, &a.thin, &a.depthwise, &a.windows} {
		*part /= float64(all)
	}
	return a
}

// product is where a product with a matrix of that size belongs.
func (a *arithmetic) product(rows, columns, width int64) *float64 {
	switch bytes := width * ((rows | columns) & 3); { // the lowest bits that either has
	case bytes&3 != 0:
		return &a.odd
	case bytes&7 != 0:
		return &a.loose
	}
	return &a.products
}

// thin reports whether a component is one convolution that the units for matrices have little use for: it reads up to four channels at a
// time, as the first of a network, or few of them in several groups, or its window is a line.
func thin(n *infer.Node) bool {
	kernels, most := 0, int64(4)
	if arg(n, "groups").Int() > 1 {
		most = 64
	}
	for i := range n.Weights {
		if w := n.Weights[i].Shape; w.Rank() >= 3 {
			kernels++
			line := w.Rank() == 4 && w[2] != w[3] || w.Rank() == 3 && most > 4
			if w[1] > most && !line || w[0] <= 8 {
				return false
			}
		}
	}
	return kernels == 1
}

// convolves reports whether a component is made of convolutions: their kernels have an axis for space.
func convolves(n *infer.Node) bool {
	for i := range n.Weights {
		if n.Weights[i].Shape.Rank() >= 3 {
			return true
		}
	}
	return false
}

// productWidth is the bytes of an element of what products read, 0 for 32-bit floats that are taken as they are: those run without the
// units for matrices.
func productWidth(precision string) int64 {
	switch precision {
	case "fp32":
		return 0
	case "tf32":
		return 4
	}
	return 2
}

// count adds the FLOPs of a component to the terms, and what its convolutions turn.
func (t *Terms) count(n *infer.Node, flops float64, o *Options) {
	switch {
	case flops == 0:
		return
	case n.Type.Has(catalog.IsRecurrent):
		t.Steps += flops
		return
	case autocasts(o.Precision) && grouped(n): // an operation that autocast does not know
		t.WideProducts += flops
		return
	}
	width := productWidth(o.Precision)
	a := divide(n, width)
	t.Products += float64(a.products * flops)
	t.LooseProducts += float64(a.loose * flops)
	t.OddProducts += float64(a.odd * flops)
	t.Convolutions += float64(a.dense * flops)
	t.Thin += float64(a.thin * flops)
	if width != 2 {
		t.Depthwise += float64(a.depthwise * flops)
		return
	}
	t.Depthwise += float64(2 * a.windows * flops)
	if len(n.In) > 0 && convolves(n) {
		t.TurnedBytes = plus(t.TurnedBytes, times(width, o.Batch, plus(max(0, n.In[0].Size()), max(0, n.Out.Size()))))
	}
}
