package rules

var _ = define(Rule{
	ID:       "same-padding-stride",
	Title:    "Padding \"same\" with a stride",
	Severity: Block,
	Doc:      `With padding same the result is as large as the input, which contradicts a stride above 1; PyTorch refuses to build such a convolution, while Keras takes it to mean the size divided by the stride. Give the padding as a number: (kernelSize - 1) / 2 for an odd kernel divides the size by the stride, rounded up.`,
	Source:   "torch.nn.Conv2d, torch/nn/modules/conv.py: padding='same' is not supported for strided convolutions",
	Examples: []string{
		"x: input shape=[3,32,32]\nc: conv2d outChannels=8 kernelSize=3 stride=2 padding=same // want\no: output\nx -> c -> o",
		"x: input shape=[3,32,32]\nc: conv2d outChannels=8 kernelSize=3 stride=2 padding=1\no: output\nx -> c -> o",
		"x: input shape=[3,32,32]\nc: conv2d outChannels=8 kernelSize=3 padding=same\no: output\nx -> c -> o",
	},
})
