package catalog

var _ = define(activation(Type{
	ID:     "hardSigmoid",
	Title:  "Sigmoid made of straight lines",
	Doc:    `Computes relu6(x+3)/6, which follows the sigmoid without an exponential. Takes any shape, but no integers. Below -3 and above 3 it is flat and has no gradient.`,
	Source: "torch.nn.Hardsigmoid; Howard et al. 2019 (MobileNetV3)",
	Traits: Saturates | InUnit,
	Params: []Param{paramInplace},
	Lower:  lowerOfInput,
	Torch:  `nn.Hardsigmoid(inplace={{inplace}})`,
	Examples: []Example{
		{In: "[72,1,1]", Out: "[72,1,1]"},
		{In: "int[72]", Err: "takes numbers with a fraction"},
	},
}))
