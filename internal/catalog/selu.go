package catalog

var _ = define(activation(Type{
	ID:     "selu",
	Title:  "Self-normalising exponential linear unit",
	Doc:    `An elu with a fixed alpha and scale, chosen so that mean and variance are carried from layer to layer without a normalisation. Takes any shape, but no integers. The effect needs LeCun initialisation and alphaDropout in the place of dropout.`,
	Source: "torch.nn.SELU; Klambauer et al. 2017",
	Traits: SelfNorms,
	Params: []Param{paramInplace},
	Lower:  lowerOfInput,
	Torch:  `nn.SELU(inplace={{inplace}})`,
	Examples: []Example{
		{In: "[256]", Out: "[256]"},
		{In: "int[256]", Err: "takes numbers with a fraction"},
	},
}))
