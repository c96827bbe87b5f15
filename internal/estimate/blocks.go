package estimate

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// What autocast and the backward pass do inside a block of convolutions: its module is written out in the catalogue's entry.

// startsWithProduct reports whether the first thing that a block does with its input is a convolution, which autocast gives a 16-bit copy of it.
func startsWithProduct(n *infer.Node) bool {
	switch n.Type.ID {
	case "basicBlock", "bottleneckBlock", "invResidualBlock", "mbConvBlock", "convNeXtBlock":
		return true
	}
	return false
}

// copiesOf is how many convolutions of a block read its input: a projection reads it too.
func copiesOf(n *infer.Node) int {
	count := 1
	for k := range n.Weights {
		if n.Weights[k].Module == "downsample.0" {
			count++
		}
	}
	return count
}

// blockNarrow is whether autocast has a block give 16 bits, given whether it got them, and whether it is a block that this is known of.
// What is added to in place keeps its width, as does what nothing is added to; a factor in 32 bits makes wide what it is multiplied with.
func blockNarrow(n *infer.Node, got bool) (narrow, ok bool) {
	switch n.Type.ID {
	case "basicBlock", "bottleneckBlock", "mbConvBlock":
		return true, true
	case "invResidualBlock":
		return got || len(n.In) == 1 && !n.Out.Equal(n.In[0]), true
	case "convNeXtBlock":
		return got && !arg(n, "layerScale").Bool(), true
	}
	return false, false
}

// innerBlock is what the backward pass of a block needs for itself, beside the gradients of its result and of its input: the largest of its
// moments, of which the later ones have freed what the earlier ones read.
func (s *stepper) innerBlock(i int) (bytes int64, ok bool) {
	n := &s.res.Nodes[i]
	if len(n.In) != 1 || n.In[0].Rank() != 3 || n.Out.Rank() != 3 || s.how[i].has(transformers) {
		return 0, false
	}
	switch n.Type.ID {
	case "convNeXtBlock":
		return s.innerConvNeXt(i), true
	case "invResidualBlock":
		return s.innerInverted(i, 1), true
	case "mbConvBlock":
		return s.innerInverted(i, 2), true
	case "denseLayer":
		return s.innerDense(i), true
	}
	return 0, false
}

// innerConvNeXt: the second map's gradients with the sum of its bias, the activation's, and the first map's with the sum of its bias, when
// the hidden tensors are free.
func (s *stepper) innerConvNeXt(i int) int64 {
	n := &s.res.Nodes[i]
	places, w := times(max(0, n.Out[1:].Size()), s.o.Batch), s.productBytes()
	channels, hidden := n.Out[0], int64(0)
	for k := range n.Kept {
		if n.Kept[k].Name == "hidden" {
			hidden = n.Kept[k].Elems / max(1, n.Out[1:].Size())
		}
	}
	kept, scaled := times(places, hidden, w), int64(0)
	if arg(n, "layerScale").Bool() {
		scaled = times(places, channels, w)
	}
	second := plus(kept, sumWorkspace(places, channels))
	activation := kept - scaled
	first := sumWorkspace(places, hidden) - kept
	return max(0, max(second, activation, first)-s.result(i))
}

// pointwise is the convolution of one place that ends a separable convolution or an inverted block, or that projects the input of a residual one.
func pointwise(n *infer.Node, batch int64) (c convolution, ok bool) {
	if len(n.In) != 1 || n.In[0].Rank() != 3 || n.Out.Rank() != 3 {
		return c, false
	}
	places, side := times(max(0, n.Out[1:].Size()), batch), max(n.Out[1], n.Out[2])
	c = convolution{out: times(places, n.Out[0]), narrow: max(1, n.Out[0]), groups: 1, area: 1, reach: 1, places: n.Out[1:].Size(), side: side}
	switch n.Type.ID {
	case "separableConv2d":
		c.wide, c.in = n.In[0][0], times(places, n.In[0][0])
	case "invResidualBlock", "mbConvBlock":
		c.wide = middleOf(n)
		c.in = times(places, c.wide)
	case "basicBlock", "bottleneckBlock":
		c.wide, c.in, c.places = n.In[0][0], times(max(0, n.In[0].Size()), batch), n.In[0][1:].Size()
		c.strided = n.In[0][1] > n.Out[1]
		if copiesOf(n) == 1 {
			return c, false
		}
	default:
		return c, false
	}
	c.weight = times(c.wide, c.narrow)
	c.wide = max(1, c.wide)
	return c, true
}

// middleOf is the number of channels in the middle of an inverted block: those that it convolves one by one.
func middleOf(n *infer.Node) int64 {
	for k := range n.Weights {
		if w := n.Weights[k].Shape; w.Rank() == 4 && w[1] == 1 && w[2] > 1 {
			return w[0]
		}
	}
	return 0
}

// innerInverted: the gradient of what the last convolution read, so many times at once, or that of what the one by channels read, which
// is larger where it strides, when what is behind it is free. What the last convolution gave is gone by then, and behind it its gradient too;
// that of the input is there only where the input is added to the result.
func (s *stepper) innerInverted(i int, at int64) int64 {
	n := &s.res.Nodes[i]
	middle := middleOf(n)
	behind := times(middle, max(0, n.Out[1:].Size()), s.o.Batch, s.productBytes())
	before := times(middle, max(0, n.In[0][1:].Size()), s.o.Batch, s.productBytes())
	space, in := s.kind(i).back, times(max(0, n.In[0].Size()), s.o.Batch, s.productBytes())
	gone := times(at, max(0, n.Out.Size()), s.o.Batch, s.productBytes())
	if !n.Out.Equal(n.In[0]) {
		gone = plus(gone, in)
	}
	return max(0, times(at, behind)-gone, before-times(1+at, behind), plus(behind, space)-in)
}

// denseConvolution is the second convolution of a dense layer.
func denseConvolution(n *infer.Node, batch int64) (c convolution, ok bool) {
	for k := range n.Weights {
		if w := n.Weights[k].Shape; w.Rank() == 4 && w[2] > 1 {
			places := times(max(0, n.Out[1:].Size()), batch)
			return convolution{in: times(places, w[1]), out: times(places, w[0]), weight: max(0, w.Size()), wide: w[1], narrow: w[0], groups: 1,
				area: w[2] * w[3], reach: w[2], places: n.Out[1:].Size(), side: max(n.Out[1], n.Out[2])}, true
		}
	}
	return convolution{}, false
}

// innerDense: the gradient of what the second convolution gave is a part of that of the whole result, and is copied; then cuDNN works
// on it. The gradient of the input is not there yet.
func (s *stepper) innerDense(i int) int64 {
	n, size := &s.res.Nodes[i], s.productBytes()
	c, ok := denseConvolution(n, s.o.Batch)
	if !ok {
		return 0
	}
	first := times(max(0, n.In[0].Size()), s.o.Batch, size)
	return max(0, plus(times(plus(c.in, c.out), size), c.backwardSpace(size))-first, first-2*times(c.in, size))
}

// denseSpace is what the forward pass of a dense layer holds beside what it keeps and its result: what is put behind the input, or what
// cuDNN takes when the result is not there yet.
func denseSpace(n *infer.Node, batch, size int64) int64 {
	c, ok := denseConvolution(n, batch)
	if !ok || n.Type.ID != "denseLayer" {
		return 0
	}
	added := times(c.out, size)
	return max(added, plus(added, c.forwardSpace(size))-times(max(0, n.Out.Size()), batch, size))
}

// blockSpace is what cuDNN takes for the convolutions of a component, forward and back.
func blockSpace(n *infer.Node, batch, size int64) (forward, back int64) {
	if n.Type.ID == "denseLayer" && n.Type.Has(catalog.HasResidual) && n.Out.Rank() == 3 {
		return denseSpace(n, batch, size), 0
	}
	if c, ok := pointwise(n, batch); ok {
		return 0, c.backwardSpace(size)
	}
	if c, ok := convolutionOf(n, batch); ok {
		return c.forwardSpace(size), c.backwardSpace(size)
	}
	return 0, 0
}
