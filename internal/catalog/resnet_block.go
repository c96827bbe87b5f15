package catalog

import "github.com/modelverifier/verifier/internal/op"

// This file holds what basicBlock and bottleneckBlock share: the residual blocks of torchvision.models.resnet.

func blockStride() Param {
	p := strideParam(2)
	p.Doc = "how far the kernel of the middle convolution moves at a time"
	return p
}

// residualShape is the shape of a block with this many output channels.
func residualShape(c *Call, out int64) (Shape, error) {
	if err := c.Ranks(3, 3, imageAxes[2]); err != nil {
		return nil, err
	}
	stride := c.Dims("stride")
	shape := Of(out, strided(c.In[0][1], stride[0]), strided(c.In[0][2], stride[1]))
	return shape, c.Match(ChannelMismatch, "inChannels", "channel")
}

// projects reports whether the input is brought to the shape of the result by a convolution of its own. torchvision asks
// whether stride is 1, which a list never is.
func projects(c *Call, out int64) bool {
	return c.IsList("stride") || c.Int("stride") != 1 || c.Int("inChannels") != out
}

func projectionWeights(c *Call, out int64) {
	if projects(c, out) {
		c.normedConv("downsample.0", "downsample.1", out, c.Int("inChannels"), 1, 1)
	}
}

func projectionFLOPs(c *Call) int64 {
	if !projects(c, c.Out[0]) {
		return 0
	}
	return c.Mul(2, c.Size(c.Out), c.Int("inChannels"))
}

// residual is the end of a block: the input, projected where it has to be, is added in place, and so is the activation.
func (l *Lowering) residual(y op.Value) op.Value {
	x := l.X[0]
	if projects(&l.Call, l.Out[0]) {
		x = l.normed(x, "downsample.0", "downsample.1", 1, l.Out[1:]...)
	}
	return op.OfOutputInPlace(l.P, op.AddInPlace(l.P, y, x))
}
