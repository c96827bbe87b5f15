package catalog

var _ = define(Type{
	ID:      "transposeConv3d",
	Title:   "Transposed convolution over three axes",
	Doc:     `Spreads every element over the points of a kernel and adds up what overlaps, as torch.nn.ConvTranspose3d does: the result is about stride times as large. padding takes away from the result instead of adding to the input, and outputPadding adds on one side to settle the size; it must be smaller than the stride or the dilation.`,
	Source:  "torch.nn.ConvTranspose3d, torch.nn.LazyConvTranspose3d",
	Group:   Convolution,
	Aliases: []string{"convTranspose3d", "conv3dTranspose", "transposedConv3d", "convolutionTranspose3d", "deconv3d"},
	Traits:  IsAffine | IsConv | IsTransposed,
	Params:  transposeConvParams(3),
	Shape:   transposeConvShape(3),
	Weights: transposeConvWeights(3),
	FLOPs:   transposeConvFLOPs(3),
	Lower:   lowerTransposeConv,
	Torch: `nn.ConvTranspose3d({{inChannels}}, {{outChannels}}, {{kernelSize}}, stride={{stride}}, padding={{padding}}, output_padding={{outputPadding}}, ` +
		`groups={{groups}}, bias={{bias}}, dilation={{dilation}}, padding_mode={{paddingMode}})`,
	WeightFormula: "inChannels*(outChannels/groups)*kernelSize[0]*kernelSize[1]*kernelSize[2] + bias*outChannels",
	FLOPsFormula:  "2*size(in)*(outChannels/groups)*kernelSize[0]*kernelSize[1]*kernelSize[2]",
	Examples: []Example{
		{In: "[4,4,8,8]", Args: "inChannels=4 outChannels=2 kernelSize=[1,2,2] stride=[1,2,2]", Out: "[2,4,16,16]", Weights: 34, FLOPs: 16384},
		{In: "[4,8,8]", Args: "outChannels=2 kernelSize=2", Err: "takes (channels, depth, height, width)"},
	},
})
