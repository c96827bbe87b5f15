package catalog

var _ = define(Type{
	ID:      "adaptiveMaxPool2d",
	Title:   "Largest value in as many windows as asked for, two axes",
	Doc:     `Splits the image into outputSize windows and takes the largest value of each, as torch.nn.AdaptiveMaxPool2d does, so that the result has the same size whatever the input. A null in the list keeps that axis.`,
	Source:  "torch.nn.AdaptiveMaxPool2d",
	Group:   Pooling,
	Aliases: []string{"adaptiveMaxPooling2d"},
	Traits:  IsPool,
	Params: []Param{
		{Name: "outputSize", Kind: Dims, N: 2, Min: 1, Nulls: true, Doc: "size of the result, null to keep an axis"},
	},
	Shape: adaptiveShape(2),
	Lower: lowerMaxPool,
	Torch: `nn.AdaptiveMaxPool2d({{outputSize}})`,
	Examples: []Example{
		{In: "[512,9,9]", Args: "outputSize=[3,2]", Out: "[512,3,2]"},
		{In: "[512,9,9]", Args: "outputSize=0", Err: "outputSize is 0"},
	},
})
