package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "separableConv2d",
	Title:   "Depthwise convolution, then a pointwise one",
	Doc:     `Convolves each channel by itself and then mixes the channels with a convolution of size 1: far fewer weights than a full convolution. stride, padding and dilation belong to the first step, and both steps have a bias or none has.`,
	Source:  "two torch.nn.Conv2d; Chollet 2017, Xception",
	Group:   Convolution,
	Aliases: []string{"sepConv2d", "separableConvolution2d", "depthwiseSeparableConv2d"},
	Traits:  IsAffine | IsConv,
	Params:  []Param{inChannelsParam(), outChannelsParam(), kernelParam(2), strideParam(2), paddingParam(2), dilationParam(2), biasParam()},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(3, 3, imageAxes[2]); err != nil {
			return nil, err
		}
		spatial, err := convSpatial(c, 2, "zeros")
		shape := channelsFirst(c.Int("outChannels"), spatial)
		if mismatch := c.Match(ChannelMismatch, "inChannels", "channel"); mismatch != nil {
			return shape, mismatch
		}
		return shape, err
	},
	Weights: func(c *Call) {
		in, out, bias := c.Int("inChannels"), c.Int("outChannels"), c.Bool("bias")
		c.convWeight("0", 2, in, 1, in, bias)
		c.Weight("1.weight", out, in, 1, 1)
		if bias {
			c.Weight("1.bias", out)
		}
	},
	FLOPs: func(c *Call) int64 {
		return c.Mul(2, c.Size(c.Out[1:]), c.Int("inChannels"), c.Add(c.taps(2), c.Int("outChannels")))
	},
	Lower: func(l *Lowering) op.Value {
		y := l.conv(l.padded(2, "zeros"), "0", op.Geometry{Groups: l.Int("inChannels")}, l.Out[1:]...)
		return l.conv(y, "1", op.Geometry{Groups: 1}, l.Out[1:]...)
	},
	Torch: `nn.Sequential(nn.Conv2d({{inChannels}}, {{inChannels}}, {{kernelSize}}, stride={{stride}}, padding={{padding}}, dilation={{dilation}}, ` +
		`groups={{inChannels}}, bias={{bias}}), nn.Conv2d({{inChannels}}, {{outChannels}}, 1, bias={{bias}}))`,
	WeightFormula: "inChannels*(kernelSize[0]*kernelSize[1] + bias) + outChannels*(inChannels + bias)",
	FLOPsFormula:  "2*size(out, 1)*inChannels*(kernelSize[0]*kernelSize[1] + outChannels)",
	Examples: []Example{
		{In: "[32,16,16]", Args: "inChannels=32 outChannels=64 kernelSize=3 padding=1", Out: "[64,16,16]", Weights: 2432, FLOPs: 1196032},
		{In: "[8,9,9]", Args: "outChannels=4 kernelSize=3 stride=2 bias=false", Out: "[4,4,4]", Weights: 104},
		{In: "[8,9,9]", Args: "inChannels=16 outChannels=4 kernelSize=3", Err: "inChannels is 16 but 8 channels arrive"},
	},
})
