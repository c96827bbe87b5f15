package catalog

var _ = define(Type{
	ID:      "globalAvgPool2d",
	Title:   "Mean of each channel over the image",
	Doc:     `Takes the mean of each channel over the whole image and drops both axes, as x.mean((2, 3)) does. The result can go into a linear layer without a flatten.`,
	Source:  "torch.mean; Lin et al. 2013, Network In Network",
	Group:   Pooling,
	Aliases: []string{"globalAveragePooling2d", "globalAvgPooling2d", "globalAveragePool2d"},
	Traits:  IsPool | IsLinear,
	Shape:   globalShape(2),
	Lower:   lowerMean,
	Torch:   `lambda x: x.mean((2, 3))`,
	Examples: []Example{
		{In: "[512,7,7]", Out: "[512]"},
		{In: "[512]", Err: "takes (channels, height, width), got [512]"},
	},
})
