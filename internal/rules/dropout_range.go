package rules

var _ = define(Rule{
	ID:       "dropout-range",
	Title:    "A probability outside 0 to 1",
	Severity: Block,
	Doc:      `The probability of dropping is below 0 or above 1. Often it was meant in percent, or is the share to keep, as in old TensorFlow code. Give the share to drop: 0.1 for one in ten.`,
	Source:   "torch.nn.Dropout, torch/nn/modules/dropout.py: dropout probability has to be between 0 and 1",
	Examples: []string{
		"x: input shape=[64]\nd: dropout p=10 // want\no: output\nx -> d -> o",
		"x: input shape=[64]\nd: dropout p=-0.1 // want\no: output\nx -> d -> o",
		"x: input shape=[64]\nd: dropout p=0.1\no: output\nx -> d -> o",
	},
})
