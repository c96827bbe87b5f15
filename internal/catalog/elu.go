package catalog

var _ = define(activation(Type{
	ID:     "elu",
	Title:  "Exponential linear unit",
	Doc:    `Keeps positive values and maps negative ones to alpha·(exp(x)-1), which levels off at -alpha. Takes any shape, but no integers. The mean of its results is closer to zero than that of relu.`,
	Source: "torch.nn.ELU; Clevert et al. 2015",
	Params: []Param{
		{Name: "alpha", Kind: Float, Default: 1.0, Doc: "the value that negative inputs level off at, negated"},
		paramInplace,
	},
	Lower: lowerOfInput,
	Torch: `nn.ELU({{alpha}}, inplace={{inplace}})`,
	Examples: []Example{
		{In: "[16,32]", Args: "alpha=0.5", Out: "[16,32]"},
		{In: "int[16]", Err: "takes numbers with a fraction"},
	},
}))
