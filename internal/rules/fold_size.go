package rules

var _ = define(Rule{
	ID:       "fold-size",
	Title:    "Columns that do not make up the image",
	Severity: Block,
	Doc:      `fold puts sliding blocks back into an image: the first axis must be a multiple of the elements of a kernel, and the second must be the number of positions that the kernel has in outputSize with this stride, padding and dilation. Give it the parameters of the unfold that made the blocks, and the size of its input.`,
	Source:   "torch.nn.functional.fold, col2im_shape_check of aten/src/ATen/native/im2col_shape_check.h",
	Examples: []string{
		"x: input shape=[27,100]\nf: fold outputSize=[32,32] kernelSize=3 // want\no: output\nx -> f -> o",
		"x: input shape=[26,900]\nf: fold outputSize=[32,32] kernelSize=3 // want\no: output\nx -> f -> o",
		"x: input shape=[27,900]\nf: fold outputSize=[32,32] kernelSize=3\no: output\nx -> f -> o",
	},
})
