package catalog

var _ = define(Type{
	ID:      "avgpool2d",
	Title:   "Mean of a window over two axes",
	Doc:     `Takes the mean of each window, as torch.nn.AvgPool2d does. The stride is the size of the window if left out. Padding may be at most half of the window and counts as zeros unless countIncludePad is false.`,
	Source:  "torch.nn.AvgPool2d",
	Group:   Pooling,
	Aliases: []string{"averagePooling2d", "avgPooling2d", "averagePool2d"},
	Traits:  IsPool | IsLinear,
	Params:  avgPoolParams(2),
	Ints:    IntsKept,
	Shape:   avgPoolShape(2),
	Lower:   lowerAvgPool,
	Torch:   `nn.AvgPool2d({{kernelSize}}, stride={{stride}}, padding={{padding}}, ceil_mode={{ceilMode}}, count_include_pad={{countIncludePad}}, divisor_override={{divisorOverride}})`,
	Examples: []Example{
		{In: "[64,32,32]", Args: "kernelSize=2", Out: "[64,16,16]"},
		{In: "[8,5,7]", Args: "kernelSize=[3,2] stride=[2,3] padding=1 ceilMode=true", Out: "[8,3,3]"},
		{In: "[8,5,7]", Args: "kernelSize=1 padding=1", Err: "padding is 1 but must be at most half of kernelSize 1"},
	},
})
