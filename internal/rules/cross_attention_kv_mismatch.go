package rules

var _ = define(Rule{
	ID:       "cross-attention-kv-mismatch",
	Title:    "Keys and values of another width",
	Severity: Block,
	Doc:      `In cross-attention keys and values come from the second input, and its features are not the size that their projections were built for: kvDim, which is embedDim unless given. Set kvDim to the features of the second input. If the two inputs were meant the other way round, exchange the order of the connections: queries come first.`,
	Source:   "torch.nn.functional.multi_head_attention_forward, torch/nn/functional.py: the projections of key and value refuse another size than kdim and vdim",
	Examples: []string{
		"x: input shape=[12,64]\ny: input shape=[7,48]\na: crossAttention embedDim=64 numHeads=8 // want\no: output\nx, y -> a -> o",
		"x: input shape=[12,64]\ny: input shape=[7,48]\na: crossAttention embedDim=64 numHeads=8 kvDim=48\no: output\nx, y -> a -> o",
	},
})
