package catalog

var _ = define(Type{
	ID:      "depthwiseConv1d",
	Title:   "Convolution of each channel by itself over one axis",
	Doc:     `Convolves every channel with kernels of its own, as torch.nn.Conv1d does with as many groups as channels. The result has depthMultiplier channels for each channel of the input. Channels do not mix: a convolution of size 1 usually follows.`,
	Source:  "torch.nn.Conv1d with groups=in_channels",
	Group:   Convolution,
	Aliases: []string{"dwConv1d", "depthwiseConvolution1d"},
	Traits:  IsAffine | IsConv | IsDepthwise,
	Params:  depthwiseParams(1),
	Shape:   depthwiseShape(1),
	Weights: func(c *Call) {
		out := c.Mul(c.Int("inChannels"), c.Int("depthMultiplier"))
		c.convWeight("", 1, out, 1, out, c.Bool("bias"))
	},
	FLOPs: func(c *Call) int64 { return c.Mul(2, c.Size(c.Out), c.taps(1)) },
	Lower: lowerDepthwise(1),
	Torch: `nn.Conv1d({{inChannels}}, {{inChannels}} * {{depthMultiplier}}, {{kernelSize}}, stride={{stride}}, padding={{padding}}, ` +
		`dilation={{dilation}}, groups={{inChannels}}, bias={{bias}})`,
	WeightFormula: "inChannels*depthMultiplier*(kernelSize[0] + bias)",
	FLOPsFormula:  "2*size(out)*kernelSize[0]",
	Examples: []Example{
		{In: "[8,20]", Args: "inChannels=8 kernelSize=3 padding=1", Out: "[8,20]", Weights: 32, FLOPs: 960},
		{In: "[8,20]", Args: "inChannels=4 kernelSize=3", Err: "inChannels is 4 but 8 channels arrive"},
	},
})
