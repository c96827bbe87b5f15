package catalog

var _ = define(activation(Type{
	ID:     "silu",
	Title:  "Sigmoid linear unit",
	Doc:    `Multiplies every value by its own sigmoid: x·σ(x). Takes any shape, but no integers. It is the same function as swish.`,
	Source: "torch.nn.SiLU; Elfwing et al. 2017",
	Params: []Param{paramInplace},
	Lower:  lowerOfInput,
	Torch:  `nn.SiLU(inplace={{inplace}})`,
	Examples: []Example{
		{In: "[128,2048]", Out: "[128,2048]"},
		{In: "int[128]", Err: "takes numbers with a fraction"},
	},
}))
