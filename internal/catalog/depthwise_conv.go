package catalog

import "github.com/modelverifier/verifier/internal/op"

// This file holds what the depthwise convolutions share.

func depthwiseParams(n int) []Param {
	return []Param{
		inChannelsParam(), kernelParam(n), strideParam(n), paddingParam(n), dilationParam(n),
		{Name: "depthMultiplier", Kind: Int, Min: 1, Default: 1, Aliases: []string{"channelMultiplier"}, Doc: "channels of the result for each channel of the input"},
		biasParam(),
	}
}

func depthwiseShape(n int) func(*Call) (Shape, error) {
	return func(c *Call) (Shape, error) {
		if err := c.Ranks(n+1, n+1, imageAxes[n]); err != nil {
			return nil, err
		}
		spatial, err := convSpatial(c, n, "zeros")
		// The channels that arrive are certain, inChannels may be at fault.
		shape := channelsFirst(c.Mul(c.In[0][0], c.Int("depthMultiplier")), spatial)
		if mismatch := c.Match(ChannelMismatch, "inChannels", "channel"); mismatch != nil {
			return shape, mismatch
		}
		return shape, err
	}
}

func lowerDepthwise(n int) func(*Lowering) op.Value {
	return func(l *Lowering) op.Value {
		return l.conv(l.padded(n, "zeros"), "", op.Geometry{Groups: l.Int("inChannels")}, l.Out[1:]...)
	}
}
