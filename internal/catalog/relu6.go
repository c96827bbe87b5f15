package catalog

var _ = define(activation(Type{
	ID:     "relu6",
	Title:  "Rectified linear unit, capped at 6",
	Doc:    `Clamps every value to the range from 0 to 6, which keeps activations small enough for fixed-point arithmetic. Takes any shape, integers too. Beyond either end there is no gradient.`,
	Source: "torch.nn.ReLU6; Howard et al. 2017 (MobileNets)",
	Traits: Rectifies,
	Params: []Param{paramInplace},
	Ints:   IntsKept,
	Lower:  lowerOfInput,
	Torch:  `nn.ReLU6(inplace={{inplace}})`,
	Examples: []Example{
		{In: "[32,14,14]", Out: "[32,14,14]"},
		{In: "int[12]", Out: "[12]"},
		{In: "[8] [8]", Err: "takes one input, got 2"},
	},
}))
