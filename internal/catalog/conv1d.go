package catalog

var _ = define(Type{
	ID:      "conv1d",
	Title:   "Convolution over one axis",
	Doc:     `Slides a kernel over a sequence with the channels first, as torch.nn.Conv1d does. With groups each group of output channels reads its own group of input channels only. If inChannels is left out it is taken from the input; padding same works with stride 1 only.`,
	Source:  "torch.nn.Conv1d, torch.nn.LazyConv1d",
	Group:   Convolution,
	Aliases: []string{"convolution1d", "audioConv"},
	Traits:  IsAffine | IsConv,
	Params:  convParams(1),
	Shape:   convShape(1),
	Weights: convWeights(1),
	FLOPs:   convFLOPs(1),
	Lower:   lowerConv(1),
	Torch: `nn.Conv1d({{inChannels}}, {{outChannels}}, {{kernelSize}}, stride={{stride}}, padding={{padding}}, dilation={{dilation}}, ` +
		`groups={{groups}}, bias={{bias}}, padding_mode={{paddingMode}})`,
	WeightFormula: "outChannels*(inChannels/groups)*kernelSize[0] + bias*outChannels",
	FLOPsFormula:  "2*size(out)*(inChannels/groups)*kernelSize[0]",
	Examples: []Example{
		{In: "[16,50]", Args: "inChannels=16 outChannels=33 kernelSize=3 stride=2", Out: "[33,24]", Weights: 1617, FLOPs: 76032},
		{In: "[8,20]", Args: "outChannels=8 kernelSize=4 padding=same groups=2", Out: "[8,20]", Weights: 136, FLOPs: 5120},
		{In: "[8,2]", Args: "outChannels=8 kernelSize=3", Err: "the kernel covers 3 but the padded length is 2"},
		{In: "[8,4]", Args: "outChannels=8 kernelSize=3 padding=4 paddingMode=reflect", Err: "reflect padding 4 needs more than 4 elements"},
	},
})
