package catalog

var _ = define(Type{
	ID:      "dilatedConv2d",
	Title:   "Convolution over two axes with gaps in the kernel",
	Doc:     `The convolution conv2d with a dilation of 2 unless another is given: the kernel covers dilation*(kernelSize-1)+1 elements of each axis without more weights. Takes (channels, height, width). Padding that keeps the size is dilation*(kernelSize-1)/2, which padding same works out.`,
	Source:  "torch.nn.Conv2d, torch.nn.LazyConv2d; Yu and Koltun 2015, Multi-Scale Context Aggregation by Dilated Convolutions",
	Group:   Convolution,
	Aliases: []string{"atrousConv2d", "dilatedConvolution2d", "dilatedConv"},
	Traits:  IsAffine | IsConv,
	Params:  dilatedParams(),
	Shape:   convShape(2),
	Weights: convWeights(2),
	FLOPs:   convFLOPs(2),
	Lower:   lowerConv(2),
	Torch: `nn.Conv2d({{inChannels}}, {{outChannels}}, {{kernelSize}}, stride={{stride}}, padding={{padding}}, dilation={{dilation}}, ` +
		`groups={{groups}}, bias={{bias}}, padding_mode={{paddingMode}})`,
	WeightFormula: "outChannels*(inChannels/groups)*kernelSize[0]*kernelSize[1] + bias*outChannels",
	FLOPsFormula:  "2*size(out)*(inChannels/groups)*kernelSize[0]*kernelSize[1]",
	Examples: []Example{
		{In: "[16,32,32]", Args: "outChannels=32 kernelSize=3 padding=2", Out: "[32,32,32]", Weights: 4640, FLOPs: 9437184},
		{In: "[16,32,32]", Args: "outChannels=32 kernelSize=3 dilation=4 padding=same bias=false", Out: "[32,32,32]", Weights: 4608},
		{In: "[16,4,4]", Args: "outChannels=32 kernelSize=3", Err: "the kernel covers 5 (size 3, dilation 2) but the padded height is 4"},
		{In: "[8,9,9]", Args: "inChannels=16 outChannels=4 kernelSize=3", Err: "inChannels is 16 but 8 channels arrive"},
	},
})

// dilatedParams are those of a convolution with another default.
func dilatedParams() []Param {
	p := convParams(2)
	for i := range p {
		if p[i].Name == "dilation" {
			p[i].Default = 2
		}
	}
	return p
}
