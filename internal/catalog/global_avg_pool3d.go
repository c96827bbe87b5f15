package catalog

var _ = define(Type{
	ID:      "globalAvgPool3d",
	Title:   "Mean of each channel over the volume",
	Doc:     `Takes the mean of each channel over the whole volume and drops its three axes, as x.mean((2, 3, 4)) does. The result can go into a linear layer without a flatten.`,
	Source:  "torch.mean",
	Group:   Pooling,
	Aliases: []string{"globalAveragePooling3d", "globalAvgPooling3d", "globalAveragePool3d"},
	Traits:  IsPool | IsLinear,
	Shape:   globalShape(3),
	Lower:   lowerMean,
	Torch:   `lambda x: x.mean((2, 3, 4))`,
	Examples: []Example{
		{In: "[512,4,7,7]", Out: "[512]"},
		{In: "[512,7,7]", Err: "takes (channels, depth, height, width), got [512,7,7]"},
	},
})
