package rules

var _ = define(Rule{
	ID:       "attention-in-mismatch",
	Title:    "Attention that was built for another size",
	Severity: Block,
	Doc:      `The features of each position are not embedDim, the size that the projections of queries, keys and values were built for; or a bias for scores was made for another number of heads. Set the parameter to what arrives, and see that the heads still divide embedDim, or put a linear layer in front.`,
	Source:   "torch.nn.functional.multi_head_attention_forward, torch/nn/functional.py: was expecting embedding dimension of",
	Examples: []string{
		"x: input shape=[12,64]\na: multiHeadAttention embedDim=128 numHeads=8 // want\no: output\nx -> a -> o",
		"x: input shape=[12,64]\na: groupedQueryAttention embedDim=128 numHeads=8 // want\no: output\nx -> a -> o",
		"x: input shape=[12,64]\na: multiHeadAttention embedDim=64 numHeads=8\no: output\nx -> a -> o",
	},
})
