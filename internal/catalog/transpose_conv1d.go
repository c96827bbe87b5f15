package catalog

var _ = define(Type{
	ID:      "transposeConv1d",
	Title:   "Transposed convolution over one axis",
	Doc:     `Spreads every element over the points of a kernel and adds up what overlaps, as torch.nn.ConvTranspose1d does: the result is about stride times as large. padding takes away from the result instead of adding to the input, and outputPadding adds on one side to settle the size; it must be smaller than the stride or the dilation.`,
	Source:  "torch.nn.ConvTranspose1d, torch.nn.LazyConvTranspose1d",
	Group:   Convolution,
	Aliases: []string{"convTranspose1d", "conv1dTranspose", "transposedConv1d", "convolutionTranspose1d", "deconv1d"},
	Traits:  IsAffine | IsConv | IsTransposed,
	Params:  transposeConvParams(1),
	Shape:   transposeConvShape(1),
	Weights: transposeConvWeights(1),
	FLOPs:   transposeConvFLOPs(1),
	Lower:   lowerTransposeConv,
	Torch: `nn.ConvTranspose1d({{inChannels}}, {{outChannels}}, {{kernelSize}}, stride={{stride}}, padding={{padding}}, output_padding={{outputPadding}}, ` +
		`groups={{groups}}, bias={{bias}}, dilation={{dilation}}, padding_mode={{paddingMode}})`,
	WeightFormula: "inChannels*(outChannels/groups)*kernelSize[0] + bias*outChannels",
	FLOPsFormula:  "2*size(in)*(outChannels/groups)*kernelSize[0]",
	Examples: []Example{
		{In: "[16,50]", Args: "inChannels=16 outChannels=8 kernelSize=4 stride=2 padding=1", Out: "[8,100]", Weights: 520, FLOPs: 51200},
		{In: "[4,5]", Args: "outChannels=4 kernelSize=3 outputPadding=1", Err: "outputPadding is 1 but must be smaller than stride 1 or dilation 1"},
	},
})
