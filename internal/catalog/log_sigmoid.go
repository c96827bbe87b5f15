package catalog

var _ = define(activation(Type{
	ID:     "logSigmoid",
	Title:  "Logarithm of the logistic function",
	Doc:    `Computes log(1/(1+exp(-x))) without the loss of precision of the two steps. The result is negative. Takes any shape, but no integers, unlike sigmoid.`,
	Source: "torch.nn.LogSigmoid",
	Lower:  lowerOfInput,
	Torch:  `nn.LogSigmoid()`,
	Examples: []Example{
		{In: "[16,32]", Out: "[16,32]"},
		{In: "int[16]", Err: "takes numbers with a fraction"},
	},
}))
