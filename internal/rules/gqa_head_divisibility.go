package rules

var _ = define(Rule{
	ID:       "gqa-head-divisibility",
	Title:    "Query heads that do not share the key heads evenly",
	Severity: Block,
	Doc:      `In grouped-query attention every key and value head serves the same number of query heads, so numKVHeads must divide numHeads. Choose a divisor: numHeads itself is ordinary multi-head attention, 1 is multi-query attention with the smallest cache.`,
	Source:   "Ainslie et al. 2023; torch.nn.functional.scaled_dot_product_attention with enable_gqa: Number of heads in key and value must divide the number of heads in query",
	Examples: []string{
		"x: input shape=[12,64]\na: groupedQueryAttention embedDim=64 numHeads=8 numKVHeads=3 // want\no: output\nx -> a -> o",
		"q: input shape=[8,12,64]\nk: input shape=[3,12,64]\na: scaledDotProductAttention enableGqa=true // want\no: output\nq, k, k -> a -> o",
		"x: input shape=[12,64]\na: groupedQueryAttention embedDim=64 numHeads=8 numKVHeads=2\no: output\nx -> a -> o",
	},
})
