package rules

var _ = define(Rule{
	ID:       "feature-mismatch",
	Title:    "Features that the component was not made for",
	Severity: Block,
	Doc:      `The component adds, scales, turns or reads one number for each entry of the last axis, and that axis has another size: a table of positions for another width, or coordinates that are not two or four numbers. Set its size to that of the last axis, or put a linear layer in front of it.`,
	Source:   "element-wise operators of torch: The size of tensor a must match the size of tensor b, aten/src/ATen/ExpandUtils.cpp",
	Examples: []string{
		"x: input shape=[12,64]\np: learnedPositionalEmbedding maxLen=32 embedDim=128 // want\no: output\nx -> p -> o",
		"x: input shape=[12,64]\ns: layerScale dim=32 // want\no: output\nx -> s -> o",
		"x: input shape=[12,64]\np: learnedPositionalEmbedding maxLen=32 embedDim=64\no: output\nx -> p -> o",
		"x: input shape=[12,64]\ns: layerScale dim=64\no: output\nx -> s -> o",
	},
})
