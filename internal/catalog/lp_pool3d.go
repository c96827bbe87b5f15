package catalog

var _ = define(Type{
	ID:      "lpPool3d",
	Title:   "Power mean in a window over three axes",
	Doc:     `Raises the values to the power normType, adds up each window and takes the root, as torch.nn.LPPool3d does. The stride is the size of the window if left out. The window must fit into the input even with ceilMode.`,
	Source:  "torch.nn.LPPool3d",
	Group:   Pooling,
	Aliases: []string{"powerAveragePool3d"},
	Traits:  IsPool,
	Params:  lpPoolParams(3),
	Ints:    IntsToFloat,
	Shape:   lpPoolShape(3),
	Lower:   lowerLpPool,
	Torch:   `nn.LPPool3d({{normType}}, {{kernelSize}}, stride={{stride}}, ceil_mode={{ceilMode}})`,
	Examples: []Example{
		{In: "[4,8,10,8]", Args: "kernelSize=2", Out: "[4,4,5,4]"},
		{In: "[4,8,10,8]", Args: "kernelSize=[2,9,9]", Err: "the window covers 9 but the width is 8 without padding"},
	},
})
