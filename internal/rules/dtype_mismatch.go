package rules

var _ = define(Rule{
	ID:       "dtype-mismatch",
	Title:    "Integers where fractions are needed, or the other way round",
	Severity: Block,
	Doc:      `Token ids and indices are integers and can only be looked up; weights are multiplied with numbers that have a fraction. Feed ids through an embedding before any layer with weights, and feed lookups from an input of integers directly, not from a layer. An input that feeds an embedding holds ids unless its dtype says otherwise.`,
	Source:   "torch.nn.functional.linear: mat1 and mat2 must have the same dtype; torch.nn.functional.embedding, aten/src/ATen/native/Embedding.cpp: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int",
	Examples: []string{
		"x: input shape=[12] dtype=int64\nf: linear outFeatures=4 // want\no: output\nx -> f -> o",
		"x: input shape=[12]\nf: linear outFeatures=12\ne: embedding numEmbeddings=100 embeddingDim=16 // want\no: output\nx -> f -> e -> o",
		"x: input shape=[12] dtype=float32\nf: linear outFeatures=4\no: output\nx -> f -> o",
		"x: input shape=[12]\ne: embedding numEmbeddings=100 embeddingDim=16\nf: linear outFeatures=4\no: output\nx -> e -> f -> o",
	},
})
