package catalog

var _ = define(Type{
	ID:      "adaptiveAvgPool3d",
	Title:   "Mean over as many windows as asked for, three axes",
	Doc:     `Splits the volume into outputSize windows and takes the mean of each, as torch.nn.AdaptiveAvgPool3d does, so that the result has the same size whatever the input. A null in the list keeps that axis.`,
	Source:  "torch.nn.AdaptiveAvgPool3d",
	Group:   Pooling,
	Aliases: []string{"adaptiveAveragePool3d", "adaptiveAvgPooling3d", "adaptiveAveragePooling3d"},
	Traits:  IsPool | IsLinear,
	Params: []Param{
		{Name: "outputSize", Kind: Dims, N: 3, Min: 1, Nulls: true, Doc: "size of the result, null to keep an axis"},
	},
	Shape: adaptiveAvgShape(3),
	Lower: lowerAveraged(3),
	Torch: `nn.AdaptiveAvgPool3d({{outputSize}})`,
	Examples: []Example{
		{In: "[64,8,9,9]", Args: "outputSize=4", Out: "[64,4,4,4]"},
		{In: "[64,8,9,9]", Args: "outputSize=[1,null,2]", Out: "[64,1,9,2]"},
		{In: "[9,9]", Args: "outputSize=2", Err: "takes (channels, depth, height, width), got [9,9]"},
	},
})
