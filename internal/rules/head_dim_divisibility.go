package rules

var _ = define(Rule{
	ID:       "head-dim-divisibility",
	Title:    "Features that do not split into the heads",
	Severity: Block,
	Doc:      `Multi-head attention cuts the features into equal pieces, one for each head, so the number of heads must divide embedDim. Choose a number of heads that does; heads of 64 or 128 features are what attention kernels are tuned for.`,
	Source:   "torch.nn.MultiheadAttention, torch/nn/modules/activation.py: embed_dim must be divisible by num_heads",
	Examples: []string{
		"x: input shape=[12,64]\na: multiHeadAttention embedDim=64 numHeads=6 // want\no: output\nx -> a -> o",
		"x: input shape=[12,64]\na: groupedQueryAttention embedDim=64 numHeads=6 // want\no: output\nx -> a -> o",
		"x: input shape=[12,64]\na: multiHeadAttention embedDim=64 numHeads=8\no: output\nx -> a -> o",
	},
})
