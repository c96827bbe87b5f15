package rules

var _ = define(Rule{
	ID:       "output-padding-range",
	Title:    "Output padding as large as the stride",
	Severity: Block,
	Doc:      `outputPadding of a transposed convolution chooses between the sizes that one strided convolution would map to the same result. There are only as many as the stride (or the dilation, if that is larger), so the number must be smaller than one of the two. Reduce it, or enlarge the image with pad.`,
	Source:   "torch.nn.functional.conv_transpose2d, aten/src/ATen/native/NaiveConvolutionTranspose2d.cpp: output padding must be smaller than either stride or dilation",
	Examples: []string{
		"x: input shape=[16,8,8]\nc: transposeConv2d outChannels=8 kernelSize=3 stride=2 outputPadding=2 // want\no: output\nx -> c -> o",
		"x: input shape=[16,8,8]\nc: transposeConv2d outChannels=8 kernelSize=3 stride=2 outputPadding=1\no: output\nx -> c -> o",
	},
})
