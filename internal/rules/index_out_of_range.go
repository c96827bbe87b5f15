package rules

var _ = define(Rule{
	ID:       "index-out-of-range",
	Title:    "An index beyond the end",
	Severity: Block,
	Doc:      `The parameter picks an element, a row or one of several results, and there are not so many. Indices count from 0, and from -1 backwards from the end. Take an index that exists, or enlarge what is indexed.`,
	Source:   "torch.select, aten/src/ATen/native/TensorShape.cpp: index out of range for tensor of size; torch.nn.Embedding, torch/nn/modules/sparse.py: Padding_idx must be within num_embeddings",
	Examples: []string{
		"x: input shape=[12]\ne: embedding numEmbeddings=100 embeddingDim=16 paddingIdx=100 // want\no: output\nx -> e -> o",
		"x: input shape=[12,64]\ns: select dim=1 index=12 // want\no: output\nx -> s -> o",
		"x: input shape=[12]\ne: embedding numEmbeddings=100 embeddingDim=16 paddingIdx=0\no: output\nx -> e -> o",
		"x: input shape=[12,64]\ns: select dim=1 index=-1\no: output\nx -> s -> o",
	},
})
