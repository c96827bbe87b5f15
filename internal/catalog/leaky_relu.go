package catalog

var _ = define(activation(Type{
	ID:     "leakyRelu",
	Title:  "Rectified linear unit with a small slope below zero",
	Doc:    `Keeps positive values and multiplies negative ones by negativeSlope, so that a unit never loses its gradient altogether. Takes any shape. Unlike relu it does not take integers.`,
	Source: "torch.nn.LeakyReLU; Maas et al. 2013",
	Params: []Param{
		{Name: "negativeSlope", Kind: Float, Default: 0.01, Aliases: []string{"alpha"}, Doc: "factor of negative values"},
		paramInplace,
	},
	Lower: lowerOfInput,
	Torch: `nn.LeakyReLU({{negativeSlope}}, inplace={{inplace}})`,
	Examples: []Example{
		{In: "[64,8,8]", Args: "negativeSlope=0.2", Out: "[64,8,8]"},
		{In: "[64]", Args: "negativeSlope=steep", Err: "negativeSlope is \"steep\" but takes a number"},
		{In: "int[64]", Err: "takes numbers with a fraction"},
	},
}))
