package rules

var _ = define(Rule{
	ID:       "rank-mismatch",
	Title:    "The wrong number of axes",
	Severity: Block,
	Doc:      `The tensor that arrives has more or fewer axes than the component works on, the batch not counted: conv2d takes (channels, height, width), attention (sequence, features). Common causes are a missing channel axis, a batch size written into the shape of the input, and a flatten in the wrong place. With one axis too few some layers take the batch for the channels, and the result is no longer one for each sample. Add, remove or join axes with unsqueeze, squeeze, reshape or flatten, or use the component for this number of axes. No tensor has more than 64 axes: PyTorch refuses to reduce one.`,
	Source:   "e.g. torch.nn.functional.conv2d, aten/src/ATen/native/Convolution.cpp: Expected 3D (unbatched) or 4D (batched) input; aten/src/ATen/WrapDimUtilsMulti.h: only tensors with up to 64 dims are supported",
	Examples: []string{
		"x: input shape=[28,28]\nc: conv2d outChannels=8 kernelSize=3 // want\no: output\nx -> c -> o",
		"x: input shape=[32,1,28,28]\nc: conv2d outChannels=8 kernelSize=3 // want\no: output\nx -> c -> o",
		"x: input shape=[64]\na: multiHeadAttention embedDim=64 numHeads=4 // want\no: output\nx -> a -> o",
		"x: input shape=[1,28,28]\nc: conv2d outChannels=8 kernelSize=3\no: output\nx -> c -> o",
		"x: input shape=[12,64]\na: multiHeadAttention embedDim=64 numHeads=4\no: output\nx -> a -> o",
	},
})
