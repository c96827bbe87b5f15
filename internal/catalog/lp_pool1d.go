package catalog

var _ = define(Type{
	ID:      "lpPool1d",
	Title:   "Power mean in a window over one axis",
	Doc:     `Raises the values to the power normType, adds up each window and takes the root, as torch.nn.LPPool1d does. The stride is the size of the window if left out. Odd powers keep the sign of the sum, so a root of a negative sum gives not-a-number.`,
	Source:  "torch.nn.LPPool1d",
	Group:   Pooling,
	Aliases: []string{"powerAveragePool1d"},
	Traits:  IsPool,
	Params:  lpPoolParams(1),
	Ints:    IntsToFloat,
	Shape:   lpPoolShape(1),
	Lower:   lowerLpPool,
	Torch:   `nn.LPPool1d({{normType}}, {{kernelSize}}, stride={{stride}}, ceil_mode={{ceilMode}})`,
	Examples: []Example{
		{In: "[8,10]", Args: "kernelSize=2", Out: "[8,5]"},
		{In: "[8,9]", Args: "normType=3 kernelSize=4 stride=2 ceilMode=true", Out: "[8,4]"},
		{In: "[8,3]", Args: "kernelSize=4", Err: "the window covers 4 but the padded length is 3"},
		{In: "[8,9]", Args: "kernelSize=[2]", Err: "kernelSize is [2] but takes an integer"},
	},
})
