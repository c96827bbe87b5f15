package rules

var _ = define(Rule{
	ID:       "moe-topk-range",
	Title:    "More experts asked for than there are",
	Severity: Block,
	Doc:      `The router picks the topK best experts for each position, and topK is larger than the number of experts. Lower topK, commonly 1, 2 or 8, or add experts.`,
	Source:   "torch.topk, aten/src/ATen/native/Sorting.cpp: selected index k out of range",
	Examples: []string{
		"x: input shape=[12,64]\nm: moeLayer embedDim=64 numExperts=4 topK=8 expertDim=128 // want\no: output\nx -> m -> o",
		"x: input shape=[12,64]\nm: moeLayer embedDim=64 numExperts=4 topK=2 expertDim=128\no: output\nx -> m -> o",
	},
})
