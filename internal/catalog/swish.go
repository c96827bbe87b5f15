package catalog

var _ = define(activation(Type{
	ID:     "swish",
	Title:  "Swish with a fixed slope",
	Doc:    `Multiplies every value by its own sigmoid: x·σ(x), that is swish with beta 1, which PyTorch calls SiLU. Takes any shape, but no integers.`,
	Source: "torch.nn.SiLU; Ramachandran et al. 2017",
	Params: []Param{paramInplace},
	Lower:  lowerOfInput,
	Torch:  `nn.SiLU(inplace={{inplace}})`,
	Examples: []Example{
		{In: "[96,7,7]", Out: "[96,7,7]"},
		{In: "int[96]", Err: "takes numbers with a fraction"},
	},
}))
