package catalog

var _ = define(Type{
	ID:      "avgpool3d",
	Title:   "Mean of a window over three axes",
	Doc:     `Takes the mean of each window, as torch.nn.AvgPool3d does. The stride is the size of the window if left out. Padding may be at most half of the window and counts as zeros unless countIncludePad is false. Unlike the others it refuses an input smaller than the window even where padding would make up for it.`,
	Source:  "torch.nn.AvgPool3d",
	Group:   Pooling,
	Aliases: []string{"averagePooling3d", "avgPooling3d", "averagePool3d"},
	Traits:  IsPool | IsLinear,
	Params:  avgPoolParams(3),
	Ints:    IntsKept,
	Shape:   avgPoolShape(3),
	Lower:   lowerAvgPool,
	Torch:   `nn.AvgPool3d({{kernelSize}}, stride={{stride}}, padding={{padding}}, ceil_mode={{ceilMode}}, count_include_pad={{countIncludePad}}, divisor_override={{divisorOverride}})`,
	Examples: []Example{
		{In: "[4,8,16,16]", Args: "kernelSize=2", Out: "[4,4,8,8]"},
		{In: "[4,2,16,16]", Args: "kernelSize=3 padding=1", Err: "the window covers 3 but the depth is 2 without padding"},
	},
})
