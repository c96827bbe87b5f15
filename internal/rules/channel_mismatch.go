package rules

var _ = define(Rule{
	ID:       "channel-mismatch",
	Title:    "Channels that the layer was not built for",
	Severity: Block,
	Doc:      `A weight of the layer has one slice for each channel, and another number of channels arrives. Typical are a model for colour images that is fed grey ones, and a block whose predecessor was widened. Set the parameter to the number of channels that arrives; convolutions take it from the input where inChannels is left out.`,
	Source:   "torch.nn.functional.conv2d, check_shape_forward of aten/src/ATen/native/Convolution.cpp",
	Examples: []string{
		"x: input shape=[1,28,28]\nc: conv2d inChannels=3 outChannels=8 kernelSize=3 // want\no: output\nx -> c -> o",
		"x: input shape=[16,8,8]\np: prelu numParameters=8 // want\no: output\nx -> p -> o",
		"x: input shape=[1,28,28]\nc: conv2d inChannels=1 outChannels=8 kernelSize=3\no: output\nx -> c -> o",
		"x: input shape=[16,8,8]\np: prelu numParameters=16\no: output\nx -> p -> o",
	},
})
