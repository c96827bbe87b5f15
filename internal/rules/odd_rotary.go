package rules

var _ = define(Rule{
	ID:       "odd-rotary",
	Title:    "Rotary positions over an odd number of features",
	Severity: Block,
	Doc:      `Rotary positions turn the features of a head in pairs by an angle that grows with the position, and an odd number leaves one feature without a partner. Choose an even head size: change the number of heads, or give headDim.`,
	Source:   "Su et al. 2021, RoFormer; rotate_half of transformers/models/llama/modeling_llama.py, whose halves then differ in size",
	Examples: []string{
		"x: input shape=[16,30]\nr: rope headDim=15 // want\no: output\nx -> r -> o",
		"x: input shape=[16,30]\nr: rope headDim=10\no: output\nx -> r -> o",
	},
})
