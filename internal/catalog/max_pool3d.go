package catalog

var _ = define(Type{
	ID:      "maxpool3d",
	Title:   "Largest value in a window over three axes",
	Doc:     `Takes the largest value of each window, as torch.nn.MaxPool3d does. The stride is the size of the window if left out. Padding may be at most half of the window, and a last window that is not full counts only with ceilMode.`,
	Source:  "torch.nn.MaxPool3d",
	Group:   Pooling,
	Aliases: []string{"maxPooling3d"},
	Traits:  IsPool,
	Params:  maxPoolParams(3),
	Ints:    IntsKept,
	Shape:   maxPoolShape(3),
	Lower:   lowerMaxPool,
	Torch:   `nn.MaxPool3d({{kernelSize}}, stride={{stride}}, padding={{padding}}, dilation={{dilation}}, ceil_mode={{ceilMode}})`,
	Examples: []Example{
		{In: "[4,8,16,16]", Args: "kernelSize=[1,2,2]", Out: "[4,8,8,8]"},
		{In: "[4,2,16,16]", Args: "kernelSize=3", Err: "the window covers 3 but the padded depth is 2"},
	},
})
