package catalog

var _ = define(activation(Type{
	ID:     "sigmoid",
	Title:  "Logistic function",
	Doc:    `Maps every value into the range from 0 to 1: 1/(1+exp(-x)). Takes any shape; integers become floats. Far from zero its slope vanishes, so it is better kept for gates and for the last layer.`,
	Source: "torch.nn.Sigmoid",
	Traits: Saturates | InUnit,
	Ints:   IntsToFloat,
	Lower:  lowerOfResult,
	Torch:  `nn.Sigmoid()`,
	Examples: []Example{
		{In: "[10]", Out: "[10]"},
		{In: "int[10]", Out: "[10]"},
		{In: "[10] [10]", Err: "takes one input, got 2"},
	},
}))
