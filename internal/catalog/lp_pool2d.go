package catalog

var _ = define(Type{
	ID:      "lpPool2d",
	Title:   "Power mean in a window over two axes",
	Doc:     `Raises the values to the power normType, adds up each window and takes the root, as torch.nn.LPPool2d does: with power 1 the sum, with large powers close to the largest value. The stride is the size of the window if left out. There is no padding.`,
	Source:  "torch.nn.LPPool2d",
	Group:   Pooling,
	Aliases: []string{"powerAveragePool2d"},
	Traits:  IsPool,
	Params:  lpPoolParams(2),
	Ints:    IntsToFloat,
	Shape:   lpPoolShape(2),
	Lower:   lowerLpPool,
	Torch:   `nn.LPPool2d({{normType}}, {{kernelSize}}, stride={{stride}}, ceil_mode={{ceilMode}})`,
	Examples: []Example{
		{In: "[8,10,8]", Args: "kernelSize=2", Out: "[8,5,4]"},
		{In: "[8,10,8]", Args: "normType=1.5 kernelSize=[3,2] stride=[2,1]", Out: "[8,4,7]"},
		{In: "[8,10,8]", Args: "normType=0 kernelSize=2", Err: "normType is 0"},
	},
})
