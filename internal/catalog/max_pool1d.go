package catalog

var _ = define(Type{
	ID:      "maxpool1d",
	Title:   "Largest value in a window over one axis",
	Doc:     `Takes the largest value of each window, as torch.nn.MaxPool1d does. The stride is the size of the window if left out. Padding may be at most half of the window, and a last window that is not full counts only with ceilMode.`,
	Source:  "torch.nn.MaxPool1d",
	Group:   Pooling,
	Aliases: []string{"maxPooling1d"},
	Traits:  IsPool,
	Params:  maxPoolParams(1),
	Shape:   maxPoolShape(1),
	Lower:   lowerMaxPool,
	Torch:   `nn.MaxPool1d({{kernelSize}}, stride={{stride}}, padding={{padding}}, dilation={{dilation}}, ceil_mode={{ceilMode}})`,
	Examples: []Example{
		{In: "[8,16]", Args: "kernelSize=2", Out: "[8,8]"},
		{In: "[8,16]", Args: "kernelSize=3 stride=2 padding=1 ceilMode=true", Out: "[8,9]"},
		{In: "[8,16]", Args: "kernelSize=3 padding=2", Err: "padding is 2 but must be at most half of kernelSize 3"},
	},
})
