package catalog

var _ = define(Type{
	ID:      "depthwiseConv2d",
	Title:   "Convolution of each channel by itself over two axes",
	Doc:     `Convolves every channel with kernels of its own, as torch.nn.Conv2d does with as many groups as channels. The result has depthMultiplier channels for each channel of the input. Channels do not mix: a convolution of size 1 usually follows.`,
	Source:  "torch.nn.Conv2d with groups=in_channels",
	Group:   Convolution,
	Aliases: []string{"dwConv2d", "depthwiseConvolution2d"},
	Traits:  IsAffine | IsConv | IsDepthwise,
	Params:  depthwiseParams(2),
	Shape:   depthwiseShape(2),
	Weights: func(c *Call) {
		out := c.Mul(c.Int("inChannels"), c.Int("depthMultiplier"))
		c.convWeight("", 2, out, 1, out, c.Bool("bias"))
	},
	FLOPs: func(c *Call) int64 { return c.Mul(2, c.Size(c.Out), c.taps(2)) },
	Lower: lowerDepthwise(2),
	Torch: `nn.Conv2d({{inChannels}}, {{inChannels}} * {{depthMultiplier}}, {{kernelSize}}, stride={{stride}}, padding={{padding}}, ` +
		`dilation={{dilation}}, groups={{inChannels}}, bias={{bias}})`,
	WeightFormula: "inChannels*depthMultiplier*(kernelSize[0]*kernelSize[1] + bias)",
	FLOPsFormula:  "2*size(out)*kernelSize[0]*kernelSize[1]",
	Examples: []Example{
		{In: "[32,16,16]", Args: "kernelSize=3 padding=1 bias=false", Out: "[32,16,16]", Weights: 288, FLOPs: 147456},
		{In: "[3,9,9]", Args: "kernelSize=[3,1] depthMultiplier=2 stride=2", Out: "[6,4,5]", Weights: 24, FLOPs: 720},
		{In: "[3,4,4]", Args: "kernelSize=5", Err: "the kernel covers 5 but the padded height is 4"},
	},
})
