package catalog

var _ = define(activation(Type{
	ID:      "hardSwish",
	Title:   "Swish made of straight lines",
	Doc:     `Computes x·relu6(x+3)/6, which follows swish without an exponential. Takes any shape, but no integers. Below -3 it is zero and has no gradient.`,
	Source:  "torch.nn.Hardswish; Howard et al. 2019 (MobileNetV3)",
	Aliases: []string{"hardSilu"},
	Params:  []Param{paramInplace},
	Lower:   lowerOfInput,
	Torch:   `nn.Hardswish(inplace={{inplace}})`,
	Examples: []Example{
		{In: "[16,112,112]", Out: "[16,112,112]"},
		{In: "int[16]", Err: "takes numbers with a fraction"},
	},
}))
