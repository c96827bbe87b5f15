package rules

var _ = define(Rule{
	ID:       "bad-param",
	Title:    "A value that the parameter does not take",
	Severity: Block,
	Doc:      `The value is of the wrong kind, such as a fraction or a word where a whole number belongs, it lies outside the range, or it is none of the words that the parameter knows. PyTorch refuses it when the module is built or first called. The finding says what the parameter takes.`,
	Source:   "argument checking of torch, torch/csrc/utils/python_arg_parser.cpp, and the constructors of torch.nn",
	Examples: []string{
		"x: input shape=[8]\nf: linear outFeatures=4.5 // want\no: output\nx -> f -> o",
		"x: input shape=[8]\nf: linear outFeatures=many // want\no: output\nx -> f -> o",
		"x: input shape=[8]\nf: linear outFeatures=-4 // want\no: output\nx -> f -> o",
		"x: input shape=[3,32,32]\nc: conv2d outChannels=8 kernelSize=3 stride=0 // want\no: output\nx -> c -> o",
		"x: input shape=[8]\nf: linear outFeatures=4\no: output\nx -> f -> o",
		"x: input shape=[3,32,32]\nc: conv2d outChannels=8 kernelSize=3 stride=1\no: output\nx -> c -> o",
	},
})
