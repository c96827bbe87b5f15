package rules

var _ = define(Rule{
	ID:       "missing-input",
	Title:    "A component without enough inputs",
	Severity: Block,
	Doc:      `A component gets fewer tensors than it takes: nothing is connected to it, or a merge of two lacks its second. Its forward pass would be called without an argument, which Python refuses. Connect what it should read, or remove it.`,
	Source:   "torch.nn.Module.__call__, torch/nn/modules/module.py: forward() missing 1 required positional argument",
	Examples: []string{
		"x: input shape=[8]\nf: linear outFeatures=4\nr: relu // want\no: output\nx -> f -> o",
		"x: input shape=[4,8]\nm: matmul // want\no: output\nx -> m -> o",
		"x: input shape=[8]\no: output // want",
		"x: input shape=[8]\nf: linear outFeatures=4\nr: relu\no: output\nx -> f -> r -> o",
		"x: input shape=[4,8]\ny: input shape=[8,4]\nm: matmul\no: output\nx, y -> m -> o",
	},
})
