package catalog

var _ = define(Type{
	ID:      "neg",
	Title:   "The opposite sign",
	Doc:     `Changes the sign of every value, as torch.neg does. Any shape; integers stay integers. It keeps nothing for the backward pass.`,
	Source:  "torch.neg",
	Group:   Arithmetic,
	Aliases: []string{"negative", "negate"},
	Traits:  KeepsShape | IsLinear,
	Ints:    IntsKept,
	Shape:   shapeOfInput,
	Torch:   `torch.neg`,
	Examples: []Example{
		{In: "[12,64]", Out: "[12,64]"},
		{In: "int[7]", Out: "[7]"},
		{In: "[7] [7]", Err: "takes one input, got 2"},
	},
})
