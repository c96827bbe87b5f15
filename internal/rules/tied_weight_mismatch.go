package rules

var _ = define(Rule{
	ID:       "tied-weight-mismatch",
	Title:    "A tied weight of another shape",
	Severity: Block,
	Doc:      `Two components can share a weight only where it has the same shape in both. A head that is tied to an embedding needs the vocabulary of the embedding and, as its input, the size of the embedding's vectors. A component that calls the module of another once more, by sameAs, must be of its type and have all of its sizes. Make the sizes equal, name another component, or leave the component weights of its own.`,
	Source:   "Press and Wolf 2017; torch.nn.functional.linear refuses the shared weight: mat1 and mat2 shapes cannot be multiplied",
	Examples: []string{
		"x: input shape=[12]\ne: embedding numEmbeddings=100 embeddingDim=16\nf: linear outFeatures=32\nh: lmHead embedDim=32 vocabSize=100 tiedTo=e // want\no: output\nx -> e -> f -> h -> o",
		"x: input shape=[12]\ne: embedding numEmbeddings=100 embeddingDim=16\nh: lmHead embedDim=16 vocabSize=100 tiedTo=table // want\no: output\nx -> e -> h -> o",
		"x: input shape=[8]\na: linear outFeatures=16\nb: linear outFeatures=16 sameAs=a // want\no: output\nx -> a -> b -> o",
		"x: input shape=[8]\na: linear outFeatures=8\nr: relu\nb: linear outFeatures=8 sameAs=a\no: output\nx -> a -> r -> b -> o",
		"x: input shape=[12]\ne: embedding numEmbeddings=100 embeddingDim=16\nf: linear outFeatures=32\nh: lmHead embedDim=32 vocabSize=100\no: output\nx -> e -> f -> h -> o",
		"x: input shape=[12]\ne: embedding numEmbeddings=100 embeddingDim=16\nh: lmHead embedDim=16 vocabSize=100 tied=true\no: output\nx -> e -> h -> o",
	},
})
