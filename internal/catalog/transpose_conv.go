package catalog

import "github.com/modelverifier/verifier/internal/op"

// This file holds what the transposed convolutions share: torch.nn.modules.conv and the shape checks of
// ATen/native/NaiveConvolutionTranspose2d.cpp.

func transposeConvParams(n int) []Param {
	padding := Param{Name: "padding", Kind: Dims, N: n, One: true, Default: 0, Doc: "elements taken away on both sides of the result"}
	return []Param{
		inChannelsParam(), outChannelsParam(), kernelParam(n), strideParam(n), padding,
		{Name: "outputPadding", Kind: Dims, N: n, One: true, Default: 0, Doc: "elements added at the end of each axis of the result"},
		dilationParam(n), groupsParam(), biasParam(),
		{Name: "paddingMode", Kind: String, Values: []string{"zeros"}, Default: "zeros", Doc: "zeros is the only mode"},
	}
}

func transposeConvShape(n int) func(*Call) (Shape, error) {
	return func(c *Call) (Shape, error) {
		if err := c.Ranks(n+1, n+1, imageAxes[n]); err != nil {
			return nil, err
		}
		if err := c.divides("outChannels", "groups"); err != nil {
			return nil, err
		}
		spatial, spatialErr := transposeConvSpatial(c, n)
		shape := channelsFirst(c.Int("outChannels"), spatial)
		if err := c.Match(ChannelMismatch, "inChannels", "channel"); err != nil {
			return shape, err
		}
		if err := c.divides("inChannels", "groups"); err != nil {
			return shape, err
		}
		return shape, spatialErr
	}
}

func transposeConvSpatial(c *Call, n int) (Shape, error) {
	kernel, stride, dilation := c.Dims("kernelSize"), c.Dims("stride"), c.Dims("dilation")
	padding, extra := c.Dims("padding"), c.Dims("outputPadding")
	out := make(Shape, n)
	for i := range out {
		if extra[i] >= stride[i] && extra[i] >= dilation[i] {
			return nil, c.Errorf(OutputPaddingRange, "outputPadding is %d but must be smaller than stride %d or dilation %d", extra[i], stride[i], dilation[i])
		}
		full := c.Add(c.Mul(c.In[0][1+i]-1, stride[i]), c.reach(kernel[i], dilation[i]), extra[i])
		out[i] = full - c.Mul(2, padding[i])
		if out[i] < 1 {
			return nil, c.Errorf(EmptyOutput, "padding %d leaves nothing of the %s, which is %d without it", padding[i], axisNames[n][i], full)
		}
	}
	return out, nil
}

func transposeConvWeights(n int) func(*Call) {
	return func(c *Call) {
		out := c.Int("outChannels")
		c.Part(c.Int("inChannels"), c.Int("groups"))
		c.convWeight("", n, c.Int("inChannels"), c.Part(out, c.Int("groups")), out, c.Bool("bias"))
	}
}

func transposeConvFLOPs(n int) func(*Call) int64 {
	return func(c *Call) int64 {
		return c.Mul(2, c.Size(c.In[0]), c.Int("outChannels")/c.Int("groups"), c.taps(n))
	}
}

func lowerTransposeConv(l *Lowering) op.Value {
	return l.conv(l.X[0], "", op.Geometry{Groups: l.Int("groups"), Transposed: true}, l.Out[1:]...)
}
