package rules

var _ = define(Rule{
	ID:       "merge-shape-mismatch",
	Title:    "Inputs that do not fit element by element",
	Severity: Block,
	Doc:      `The component combines its inputs element by element, and on some axis their sizes differ. Only an axis of size 1 is stretched, and the inputs must have the same number of axes, since PyTorch would otherwise lay the batch of one over another axis of the other. In a residual connection, bring the shortcut to the size of the branch with a linear layer or a convolution of kernel 1 and the same stride.`,
	Source:   "torch.add, infer_size of aten/src/ATen/ExpandUtils.cpp: The size of tensor a must match the size of tensor b",
	Examples: []string{
		"x: input shape=[64]\nf: linear outFeatures=32\na: add // want\no: output\nx -> f\nx, f -> a -> o",
		"x: input shape=[16,8]\ny: input shape=[8]\na: multiply // want\no: output\nx, y -> a -> o",
		"x: input shape=[64]\nf: linear outFeatures=32\ns: linear outFeatures=32\na: add\no: output\nx -> f\nx -> s\ns, f -> a -> o",
		"x: input shape=[16,8]\ny: input shape=[1,8]\na: multiply\no: output\nx, y -> a -> o",
	},
})
