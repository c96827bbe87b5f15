package rules

var _ = define(Rule{
	ID:       "concat-mismatch",
	Title:    "Inputs that cannot be joined along the axis",
	Severity: Block,
	Doc:      `Joined tensors must be equally large on every axis but the one they are joined along, and stacked tensors on every axis; nothing is stretched. In a U-Net the skip and the upsampled map often differ by one row where a pool rounded down: pad or crop one of them. If another axis was meant, change dim, which counts the batch as axis 0.`,
	Source:   "torch.cat, check_cat_shape_except_dim of aten/src/ATen/native/TensorShape.h: Sizes of tensors must match except in dimension",
	Examples: []string{
		"x: input shape=[16,33,33]\ny: input shape=[8,32,32]\nc: concatenate // want\no: output\nx, y -> c -> o",
		"x: input shape=[12,64]\ny: input shape=[7,64]\ns: stack // want\no: output\nx, y -> s -> o",
		"x: input shape=[16,32,32]\ny: input shape=[8,32,32]\nc: concatenate\no: output\nx, y -> c -> o",
		"x: input shape=[12,64]\ny: input shape=[7,64]\ns: concatenate dim=1\no: output\nx, y -> s -> o",
	},
})
