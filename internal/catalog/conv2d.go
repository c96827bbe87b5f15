package catalog

var _ = define(Type{
	ID:      "conv2d",
	Title:   "Convolution over two axes",
	Doc:     `Slides a kernel over an image with the channels first, as torch.nn.Conv2d does. With groups each group of output channels reads its own group of input channels only. If inChannels is left out it is taken from the input; padding same works with stride 1 only.`,
	Source:  "torch.nn.Conv2d, torch.nn.LazyConv2d",
	Group:   Convolution,
	Aliases: []string{"convolution2d"},
	Traits:  IsAffine | IsConv,
	Params:  convParams(2),
	Shape:   convShape(2),
	Weights: convWeights(2),
	FLOPs:   convFLOPs(2),
	Lower:   lowerConv(2),
	Torch: `nn.Conv2d({{inChannels}}, {{outChannels}}, {{kernelSize}}, stride={{stride}}, padding={{padding}}, dilation={{dilation}}, ` +
		`groups={{groups}}, bias={{bias}}, padding_mode={{paddingMode}})`,
	WeightFormula: "outChannels*(inChannels/groups)*kernelSize[0]*kernelSize[1] + bias*outChannels",
	FLOPsFormula:  "2*size(out)*(inChannels/groups)*kernelSize[0]*kernelSize[1]",
	Examples: []Example{
		{In: "[3,32,32]", Args: "inChannels=3 outChannels=64 kernelSize=3 padding=1", Out: "[64,32,32]", Weights: 1792, FLOPs: 3538944},
		{In: "[4,9,9]", Args: "outChannels=6 kernelSize=[3,5] stride=2 dilation=[2,1] groups=2 bias=false", Out: "[6,3,3]", Weights: 180, FLOPs: 3240},
		{In: "[3,8,8]", Args: "outChannels=4 kernelSize=3 padding=same paddingMode=circular", Out: "[4,8,8]", Weights: 112},
		{In: "[1,28,28]", Args: "inChannels=3 outChannels=8 kernelSize=3", Err: "inChannels is 3 but 1 channel arrives"},
		{In: "[3,8,8]", Args: "outChannels=8 kernelSize=3 stride=2 padding=same", Err: "padding same needs stride 1"},
		{In: "[4,8,8]", Args: "outChannels=9 kernelSize=3 groups=2", Err: "outChannels is 9, which is not divisible by groups 2"},
	},
})
