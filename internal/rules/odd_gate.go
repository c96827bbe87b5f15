package rules

var _ = define(Rule{
	ID:       "odd-gate",
	Title:    "An axis that cannot be halved",
	Severity: Block,
	Doc:      `A gated linear unit uses one half of the axis as a gate for the other, and the axis is odd. Let the layer in front give an even size, twice of what should come out.`,
	Source:   "torch.nn.functional.glu, aten/src/ATen/native/GatedLinearUnit.cpp: Halving dimension must be even",
	Examples: []string{
		"x: input shape=[12,63]\nu: glu // want\no: output\nx -> u -> o",
		"x: input shape=[12,64]\nu: glu\no: output\nx -> u -> o",
	},
})
