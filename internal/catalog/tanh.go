package catalog

var _ = define(activation(Type{
	ID:     "tanh",
	Title:  "Hyperbolic tangent",
	Doc:    `Maps every value into the range from -1 to 1. Takes any shape; integers become floats. Far from zero its slope vanishes, and a deep stack of them hardly learns.`,
	Source: "torch.nn.Tanh",
	Traits: Saturates,
	Ints:   IntsToFloat,
	Lower:  lowerOfResult,
	Torch:  `nn.Tanh()`,
	Examples: []Example{
		{In: "[32,64]", Out: "[32,64]"},
		{In: "int[32]", Out: "[32]"},
		{In: "[32] [32]", Err: "takes one input, got 2"},
	},
}))
