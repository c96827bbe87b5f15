package catalog

var _ = define(Type{
	ID:      "globalAvgPool1d",
	Title:   "Mean of each channel over its length",
	Doc:     `Takes the mean of each channel over the whole length and drops that axis, as x.mean(2) does. The input must be (channels, length); a sequence of features has its axes the other way round.`,
	Source:  "torch.mean",
	Group:   Pooling,
	Aliases: []string{"globalAveragePooling1d", "globalAvgPooling1d", "globalAveragePool1d"},
	Traits:  IsPool | IsLinear,
	Shape:   globalShape(1),
	Lower:   lowerMean,
	Torch:   `lambda x: x.mean(2)`,
	Examples: []Example{
		{In: "[64,50]", Out: "[64]"},
		{In: "[64]", Err: "takes (channels, length), got [64]"},
	},
})
