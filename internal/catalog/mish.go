package catalog

var _ = define(activation(Type{
	ID:     "mish",
	Title:  "Self-regularised smooth activation",
	Doc:    `Computes x·tanh(softplus(x)): smooth, not monotone, without bound above. Takes any shape, but no integers.`,
	Source: "torch.nn.Mish; Misra 2019",
	Params: []Param{paramInplace},
	Lower:  lowerOfInput,
	Torch:  `nn.Mish(inplace={{inplace}})`,
	Examples: []Example{
		{In: "[64,13,13]", Out: "[64,13,13]"},
		{In: "int[64]", Err: "takes numbers with a fraction"},
	},
}))
