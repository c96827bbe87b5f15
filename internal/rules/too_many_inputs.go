package rules

var _ = define(Rule{
	ID:       "too-many-inputs",
	Title:    "More inputs than the component takes",
	Severity: Block,
	Doc:      `More connections lead into the component than its forward pass has arguments. A layer does not add up or join what arrives, so PyTorch refuses the call. Put an add or a concatenate in front of it, or remove the connections that are not meant.`,
	Source:   "torch.nn.Module.__call__, torch/nn/modules/module.py: forward() takes 2 positional arguments but 3 were given",
	Examples: []string{
		"x: input shape=[8]\ny: input shape=[8]\nf: linear outFeatures=4 // want\no: output\nx, y -> f -> o",
		"x: input shape=[8]\nf: linear outFeatures=4\nh: linear outFeatures=4\no: output // want\nx -> f\nx -> h\nf, h -> o",
		"x: input shape=[8]\ny: input shape=[8]\na: add\nf: linear outFeatures=4\no: output\nx, y -> a -> f -> o",
	},
})
