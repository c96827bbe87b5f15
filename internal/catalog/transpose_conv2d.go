package catalog

var _ = define(Type{
	ID:      "transposeConv2d",
	Title:   "Transposed convolution over two axes",
	Doc:     `Spreads every element over the points of a kernel and adds up what overlaps, as torch.nn.ConvTranspose2d does: the result is about stride times as large. padding takes away from the result instead of adding to the input, and outputPadding adds on one side to settle the size; it must be smaller than the stride or the dilation.`,
	Source:  "torch.nn.ConvTranspose2d, torch.nn.LazyConvTranspose2d",
	Group:   Convolution,
	Aliases: []string{"convTranspose2d", "conv2dTranspose", "transposedConv2d", "convolutionTranspose2d", "deconv2d"},
	Traits:  IsAffine | IsConv | IsTransposed,
	Params:  transposeConvParams(2),
	Shape:   transposeConvShape(2),
	Weights: transposeConvWeights(2),
	FLOPs:   transposeConvFLOPs(2),
	Lower:   lowerTransposeConv,
	Torch: `nn.ConvTranspose2d({{inChannels}}, {{outChannels}}, {{kernelSize}}, stride={{stride}}, padding={{padding}}, output_padding={{outputPadding}}, ` +
		`groups={{groups}}, bias={{bias}}, dilation={{dilation}}, padding_mode={{paddingMode}})`,
	WeightFormula: "inChannels*(outChannels/groups)*kernelSize[0]*kernelSize[1] + bias*outChannels",
	FLOPsFormula:  "2*size(in)*(outChannels/groups)*kernelSize[0]*kernelSize[1]",
	Examples: []Example{
		{In: "[16,8,8]", Args: "inChannels=16 outChannels=8 kernelSize=2 stride=2", Out: "[8,16,16]", Weights: 520, FLOPs: 65536},
		{In: "[4,5,5]", Args: "outChannels=6 kernelSize=3 stride=2 padding=1 outputPadding=1 groups=2 bias=false", Out: "[6,10,10]", Weights: 108, FLOPs: 5400},
		{In: "[8,5,5]", Args: "inChannels=4 outChannels=6 kernelSize=3", Err: "inChannels is 4 but 8 channels arrive"},
		{In: "[4,2,2]", Args: "outChannels=6 kernelSize=2 padding=2", Err: "padding 2 leaves nothing of the height"},
	},
})
