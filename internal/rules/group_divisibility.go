package rules

var _ = define(Rule{
	ID:       "group-divisibility",
	Title:    "Channels that do not split into the groups",
	Severity: Block,
	Doc:      `A grouped layer deals its channels into equal groups, so groups must divide both the channels that arrive and those that leave. Choose a number of groups that divides both, or a number of channels that is a multiple of it.`,
	Source:   "torch.nn.Conv2d, torch/nn/modules/conv.py: in_channels must be divisible by groups, out_channels must be divisible by groups",
	Examples: []string{
		"x: input shape=[6,16,16]\nc: conv2d outChannels=8 kernelSize=3 groups=4 // want\no: output\nx -> c -> o",
		"x: input shape=[8,16,16]\nc: conv2d outChannels=6 kernelSize=3 groups=4 // want\no: output\nx -> c -> o",
		"x: input shape=[8,16,16]\nc: conv2d outChannels=8 kernelSize=3 groups=4\no: output\nx -> c -> o",
	},
})
