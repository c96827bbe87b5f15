package catalog

var _ = define(Type{
	ID:      "adaptiveMaxPool3d",
	Title:   "Largest value in as many windows as asked for, three axes",
	Doc:     `Splits the volume into outputSize windows and takes the largest value of each, as torch.nn.AdaptiveMaxPool3d does, so that the result has the same size whatever the input. A null in the list keeps that axis.`,
	Source:  "torch.nn.AdaptiveMaxPool3d",
	Group:   Pooling,
	Aliases: []string{"adaptiveMaxPooling3d"},
	Traits:  IsPool,
	Params: []Param{
		{Name: "outputSize", Kind: Dims, N: 3, Min: 1, Nulls: true, Doc: "size of the result, null to keep an axis"},
	},
	Shape: adaptiveShape(3),
	Lower: lowerMaxPool,
	Torch: `nn.AdaptiveMaxPool3d({{outputSize}})`,
	Examples: []Example{
		{In: "[64,8,9,9]", Args: "outputSize=[3,2,null]", Out: "[64,3,2,9]"},
		{In: "[64,8,9,9]", Args: "outputSize=[3,2]", Err: "outputSize is [3,2]"},
	},
})
