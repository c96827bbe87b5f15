package catalog

var _ = define(Type{
	ID:      "avgpool1d",
	Title:   "Mean of a window over one axis",
	Doc:     `Takes the mean of each window, as torch.nn.AvgPool1d does. The stride is the size of the window if left out. Padding may be at most half of the window and counts as zeros unless countIncludePad is false.`,
	Source:  "torch.nn.AvgPool1d",
	Group:   Pooling,
	Aliases: []string{"averagePooling1d", "avgPooling1d", "averagePool1d"},
	Traits:  IsPool | IsLinear,
	Params:  avgPoolParams(1),
	Ints:    IntsKept,
	Shape:   avgPoolShape(1),
	Lower:   lowerAvgPool,
	Torch:   `nn.AvgPool1d({{kernelSize}}, stride={{stride}}, padding={{padding}}, ceil_mode={{ceilMode}}, count_include_pad={{countIncludePad}})`,
	Examples: []Example{
		{In: "[8,16]", Args: "kernelSize=4", Out: "[8,4]"},
		{In: "[8,3]", Args: "kernelSize=4", Err: "the window covers 4 but the padded length is 3"},
	},
})
