package rules

var _ = define(Rule{
	ID:       "matmul-shape-mismatch",
	Title:    "Matrices that cannot be multiplied",
	Severity: Block,
	Doc:      `The last axis of the first input must be as large as the last but one of the second, and the axes in front of the matrices must be equal or 1. For scores of queries and keys, both (sequence, features), transpose the keys first. Attention is made of two such products: queries and keys must have the same features, keys and values the same length, and the same number of heads unless heads are shared.`,
	Source:   "torch.matmul, aten/src/ATen/native/LinearAlgebra.cpp: Expected size for first two dimensions of batch2 tensor",
	Examples: []string{
		"q: input shape=[12,64]\nk: input shape=[12,64]\nm: matmul // want\no: output\nq, k -> m -> o",
		"q: input shape=[4,12,64]\nk: input shape=[3,64,12]\nm: matmul // want\no: output\nq, k -> m -> o",
		"q: input shape=[8,12,64]\nk: input shape=[8,7,32]\nv: input shape=[8,7,64]\na: scaledDotProductAttention // want\no: output\nq, k, v -> a -> o",
		"q: input shape=[8,12,64]\nk: input shape=[8,7,64]\nv: input shape=[8,7,32]\na: scaledDotProductAttention\no: output\nq, k, v -> a -> o",
		"q: input shape=[12,64]\nk: input shape=[12,64]\nt: transpose dim0=1 dim1=2\nm: matmul\no: output\nk -> t\nq, t -> m -> o",
	},
})
