package rules

var _ = define(Rule{
	ID:       "kernel-exceeds-input",
	Title:    "A kernel larger than what it slides over",
	Severity: Block,
	Doc:      `The kernel, spread by its dilation, does not fit into the padded input even once, so there is no position to compute. It happens deep in a network where strides and pools have shrunk the image, or when small images go into a model made for large ones. Use a smaller kernel or dilation, more padding, fewer strides in front, or larger inputs.`,
	Source:   "torch.nn.functional.conv2d, aten/src/ATen/native/Convolution.cpp: Kernel size can't be greater than actual input size; torch.nn.functional.max_pool2d, aten/src/ATen/native/Pool.h",
	Examples: []string{
		"x: input shape=[3,4,4]\nc: conv2d outChannels=8 kernelSize=5 // want\no: output\nx -> c -> o",
		"x: input shape=[3,4,4]\nc: conv2d outChannels=8 kernelSize=3 dilation=2 // want\no: output\nx -> c -> o",
		"x: input shape=[8,2,2]\np: maxpool2d kernelSize=3 // want\no: output\nx -> p -> o",
		"x: input shape=[3,4,4]\nc: conv2d outChannels=8 kernelSize=5 padding=2\no: output\nx -> c -> o",
		"x: input shape=[8,2,2]\np: maxpool2d kernelSize=2\no: output\nx -> p -> o",
	},
})
