package rules

var _ = define(Rule{
	ID:       "axis-out-of-range",
	Title:    "An axis that is not there",
	Severity: Block,
	Doc:      `The parameter names an axis that the tensor does not have. Axes count the batch as axis 0, as in PyTorch: a sample of shape [12,64] has the axes 0 to 2, or -3 to -1 from the end. Name one of those, often -1 for the last; where two name a range, the second must not come before the first.`,
	Source:   "c10::maybe_wrap_dim, c10/core/WrapDimMinimal.cpp: Dimension out of range",
	Examples: []string{
		"x: input shape=[12,64]\ns: softmax dim=3 // want\no: output\nx -> s -> o",
		"x: input shape=[12,64]\nm: mean dim=-4 // want\no: output\nx -> m -> o",
		"x: input shape=[12,64]\ns: softmax dim=2\no: output\nx -> s -> o",
		"x: input shape=[12,64]\nm: mean dim=-1\no: output\nx -> m -> o",
	},
})
