package catalog

var _ = define(Type{
	ID:      "maxpool2d",
	Title:   "Largest value in a window over two axes",
	Doc:     `Takes the largest value of each window, as torch.nn.MaxPool2d does. The stride is the size of the window if left out. Padding may be at most half of the window, and a last window that is not full counts only with ceilMode.`,
	Source:  "torch.nn.MaxPool2d",
	Group:   Pooling,
	Aliases: []string{"maxPooling2d"},
	Traits:  IsPool,
	Params:  maxPoolParams(2),
	Ints:    IntsKept,
	Shape:   maxPoolShape(2),
	Lower:   lowerMaxPool,
	Torch:   `nn.MaxPool2d({{kernelSize}}, stride={{stride}}, padding={{padding}}, dilation={{dilation}}, ceil_mode={{ceilMode}})`,
	Examples: []Example{
		{In: "[64,32,32]", Args: "kernelSize=2", Out: "[64,16,16]"},
		{In: "[8,7,10]", Args: "kernelSize=[2,3] stride=2 dilation=2", Out: "[8,3,3]"},
		{In: "[8,6,6]", Args: "kernelSize=3 stride=2 ceilMode=true", Out: "[8,3,3]"},
		{In: "[8,4,4]", Args: "kernelSize=5", Err: "the window covers 5 but the padded height is 4"},
		{In: "[8,4,4]", Args: "kernelSize=3 padding=2 dilation=2", Err: "padding is 2 but must be at most half of kernelSize 3"},
	},
})
