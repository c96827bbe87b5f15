package rules

var _ = define(Rule{
	ID:       "sequence-exceeds-positions",
	Title:    "A sequence longer than the table of positions",
	Severity: Block,
	Doc:      `Each position looks up its own vector in a table of maxLen rows, and more positions arrive than there are rows. A learned table cannot be continued, so this ends training at the first long sample. Raise maxLen to the longest sequence, a class token included, or shorten the sequence.`,
	Source:   "torch.nn.functional.embedding, torch/nn/functional.py: index out of range in self",
	Examples: []string{
		"x: input shape=[1024,64]\np: learnedPositionalEmbedding maxLen=512 embedDim=64 // want\no: output\nx -> p -> o",
		"x: input shape=[1024,64]\np: positionalEncoding maxLen=512 embedDim=64 // want\no: output\nx -> p -> o",
		"x: input shape=[1024,64]\np: learnedPositionalEmbedding maxLen=1024 embedDim=64\no: output\nx -> p -> o",
	},
})
