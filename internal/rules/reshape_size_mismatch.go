package rules

var _ = define(Rule{
	ID:       "reshape-size-mismatch",
	Title:    "Sizes that the elements do not fill",
	Severity: Block,
	Doc:      `A reshape keeps every element, so the sizes of the new shape must multiply to the number of elements of one sample; one axis may be -1 and takes what the others leave. Likewise the sizes of a split must add up to the axis, and expand stretches only axes of size 1. Shapes leave the batch out. Correct the sizes, or put -1 for the axis that may vary.`,
	Source:   "torch.reshape, infer_size of aten/src/ATen/InferSize.h: shape is invalid for input of size",
	Examples: []string{
		"x: input shape=[64,7,7]\nr: reshape shape=[64,50] // want\no: output\nx -> r -> o",
		"x: input shape=[12,64]\nr: reshape shape=[-1,10] // want\no: output\nx -> r -> o",
		"x: input shape=[64,7,7]\nr: reshape shape=[64,49]\no: output\nx -> r -> o",
		"x: input shape=[12,64]\nr: reshape shape=[-1,8]\no: output\nx -> r -> o",
	},
})
