package catalog

var _ = define(Type{
	ID:      "adaptiveAvgPool2d",
	Title:   "Mean over as many windows as asked for, two axes",
	Doc:     `Splits the image into outputSize windows and takes the mean of each, as torch.nn.AdaptiveAvgPool2d does, so that the result has the same size whatever the input. A null in the list keeps that axis.`,
	Source:  "torch.nn.AdaptiveAvgPool2d",
	Group:   Pooling,
	Aliases: []string{"adaptiveAveragePool2d", "adaptiveAvgPooling2d", "adaptiveAveragePooling2d"},
	Traits:  IsPool | IsLinear,
	Params: []Param{
		{Name: "outputSize", Kind: Dims, N: 2, Min: 1, Nulls: true, Doc: "size of the result, null to keep an axis"},
	},
	Shape: adaptiveAvgShape(2),
	Lower: lowerAveraged(2),
	Torch: `nn.AdaptiveAvgPool2d({{outputSize}})`,
	Examples: []Example{
		{In: "[512,9,9]", Args: "outputSize=7", Out: "[512,7,7]"},
		{In: "[512,9,9]", Args: "outputSize=[1,null]", Out: "[512,1,9]"},
		{In: "[3,4,9,9]", Args: "outputSize=2", Err: "takes (channels, height, width), got [3,4,9,9]"},
	},
})
