package catalog

var _ = define(activation(Type{
	ID:     "relu",
	Title:  "Rectified linear unit",
	Doc:    `Replaces negative values by zero: max(0, x). Takes any shape, integers too. A unit whose input stays negative gets no gradient and no longer learns.`,
	Source: "torch.nn.ReLU; Nair and Hinton 2010",
	Traits: Rectifies,
	Params: []Param{paramInplace},
	Ints:   IntsKept,
	Lower:  lowerOfResult,
	Torch:  `nn.ReLU(inplace={{inplace}})`,
	Examples: []Example{
		{In: "[64,8,8]", Out: "[64,8,8]"},
		{In: "int[12]", Args: "inplace=true", Out: "[12]"},
		{In: "[8] [8]", Err: "takes one input, got 2"},
	},
}))
