package catalog

var _ = define(Type{
	ID:      "conv3d",
	Title:   "Convolution over three axes",
	Doc:     `Slides a kernel over a volume with the channels first, as torch.nn.Conv3d does. With groups each group of output channels reads its own group of input channels only. If inChannels is left out it is taken from the input; padding same works with stride 1 only.`,
	Source:  "torch.nn.Conv3d, torch.nn.LazyConv3d",
	Group:   Convolution,
	Aliases: []string{"convolution3d"},
	Traits:  IsAffine | IsConv,
	Params:  convParams(3),
	Shape:   convShape(3),
	Weights: convWeights(3),
	FLOPs:   convFLOPs(3),
	Lower:   lowerConv(3),
	Torch: `nn.Conv3d({{inChannels}}, {{outChannels}}, {{kernelSize}}, stride={{stride}}, padding={{padding}}, dilation={{dilation}}, ` +
		`groups={{groups}}, bias={{bias}}, padding_mode={{paddingMode}})`,
	WeightFormula: "outChannels*(inChannels/groups)*kernelSize[0]*kernelSize[1]*kernelSize[2] + bias*outChannels",
	FLOPsFormula:  "2*size(out)*(inChannels/groups)*kernelSize[0]*kernelSize[1]*kernelSize[2]",
	Examples: []Example{
		{In: "[3,16,32,32]", Args: "inChannels=3 outChannels=8 kernelSize=3 padding=1", Out: "[8,16,32,32]", Weights: 656, FLOPs: 21233664},
		{In: "[2,5,6,7]", Args: "outChannels=4 kernelSize=[1,2,3] bias=false", Out: "[4,5,5,5]", Weights: 48, FLOPs: 12000},
		{In: "[3,4,32,32]", Args: "outChannels=8 kernelSize=3 dilation=2", Err: "the kernel covers 5 (size 3, dilation 2) but the padded depth is 4"},
		{In: "[3,32,32]", Args: "outChannels=8 kernelSize=3", Err: "takes (channels, depth, height, width)"},
	},
})
