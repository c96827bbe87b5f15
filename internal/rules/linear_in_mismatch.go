package rules

var _ = define(Rule{
	ID:       "linear-in-mismatch",
	Title:    "A linear layer that expects another width",
	Severity: Block,
	Doc:      `The last axis of what arrives is not the size that the weight matrix was built for, so the matrix product has no meaning. Often the layers in front were changed and the number was not: a flatten behind a convolution gives channels times height times width. Set the parameter to what arrives; inFeatures of linear can be left out and is then taken from the input. Feed-forward blocks and language-model heads begin with a linear layer and break the same way.`,
	Source:   "torch.nn.functional.linear, aten/src/ATen/native/LinearAlgebra.cpp: mat1 and mat2 shapes cannot be multiplied",
	Examples: []string{
		"x: input shape=[784]\nf: linear inFeatures=512 outFeatures=10 // want\no: output\nx -> f -> o",
		"x: input shape=[64,7,7]\ns: flatten\nf: linear inFeatures=64 outFeatures=10 // want\no: output\nx -> s -> f -> o",
		"x: input shape=[784]\nf: linear inFeatures=784 outFeatures=10\no: output\nx -> f -> o",
		"x: input shape=[64,7,7]\ns: flatten\nf: linear outFeatures=10\no: output\nx -> s -> f -> o",
	},
})
