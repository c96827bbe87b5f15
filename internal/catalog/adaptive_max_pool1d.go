package catalog

var _ = define(Type{
	ID:      "adaptiveMaxPool1d",
	Title:   "Largest value in as many windows as asked for, one axis",
	Doc:     `Splits the length into outputSize windows and takes the largest value of each, as torch.nn.AdaptiveMaxPool1d does. The windows overlap where the length is not a multiple; a result longer than the input repeats values.`,
	Source:  "torch.nn.AdaptiveMaxPool1d",
	Group:   Pooling,
	Aliases: []string{"adaptiveMaxPooling1d"},
	Traits:  IsPool,
	Params: []Param{
		{Name: "outputSize", Kind: Dims, N: 1, Min: 1, Writes: At(-1), Doc: "size of the result"},
	},
	Shape: adaptiveShape(1),
	Lower: lowerMaxPool,
	Torch: `nn.AdaptiveMaxPool1d({{outputSize}})`,
	Examples: []Example{
		{In: "[8,16]", Args: "outputSize=5", Out: "[8,5]"},
		{In: "[8,4,4]", Args: "outputSize=5", Err: "takes (channels, length), got [8,4,4]"},
	},
})
