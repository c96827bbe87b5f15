package rules

var _ = define(Rule{
	ID:       "pool-padding",
	Title:    "Padding of more than half the pooling window",
	Severity: Block,
	Doc:      `PyTorch pads a pooling window by at most half its size, so that no window lies wholly in the padding and every result has a real element in it. Reduce padding to kernelSize / 2 or less, or pad beforehand with a pad component.`,
	Source:   "torch.nn.functional.max_pool2d and avg_pool2d, pool2d_shape_check of aten/src/ATen/native/Pool.h",
	Examples: []string{
		"x: input shape=[8,16,16]\np: maxpool2d kernelSize=3 padding=2 // want\no: output\nx -> p -> o",
		"x: input shape=[8,16,16]\np: avgpool2d kernelSize=2 padding=2 // want\no: output\nx -> p -> o",
		"x: input shape=[8,16,16]\np: maxpool2d kernelSize=3 padding=1\no: output\nx -> p -> o",
		"x: input shape=[8,16,16]\np: avgpool2d kernelSize=2 padding=1\no: output\nx -> p -> o",
	},
})
