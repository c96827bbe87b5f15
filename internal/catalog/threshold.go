package catalog

var _ = define(activation(Type{
	ID:     "threshold",
	Title:  "Replaces small values by a constant",
	Doc:    `Keeps values above threshold and replaces the others by value. Takes any shape, integers too. Where value is not equal to threshold the result jumps, and what was replaced has no gradient.`,
	Source: "torch.nn.Threshold",
	Params: []Param{
		{Name: "threshold", Kind: Float, Doc: "what a value must be above to be kept"},
		{Name: "value", Kind: Float, Doc: "what the others are replaced by"},
		paramInplace,
	},
	Ints:  IntsKept,
	Lower: lowerOfInput,
	Torch: `nn.Threshold({{threshold}}, {{value}}, inplace={{inplace}})`,
	Examples: []Example{
		{In: "[64]", Args: "threshold=0.1 value=20", Out: "[64]"},
		{In: "int[64]", Args: "threshold=0.5 value=-2.5", Out: "[64]"},
		{In: "[64]", Args: "threshold=0.1", Err: "value is missing"},
		{In: "[64]", Args: "threshold=1e39 value=0", Err: "threshold is 1e+39, which leads out of the range of 32-bit floats"},
	},
}))
