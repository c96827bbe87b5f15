package catalog

var _ = define(Type{
	ID:      "localAttention",
	Title:   "Attention of a sequence to its neighbourhood",
	Doc:     `Every position of a sequence (sequence, embedDim) attends to those that are fewer than windowSize away, on both sides, or only to those before it where causal is true. It is torch.nn.MultiheadAttention behind a mask, so that it costs as much as attention to everything. The heads must divide embedDim.`,
	Source:  "torch.nn.MultiheadAttention with attn_mask; Beltagy et al. 2020, section 3.1",
	Group:   Attention,
	Aliases: []string{"slidingWindowAttention", "bandedAttention"},
	Traits:  IsAttention | HasActivation | KeepsShape,
	Params: multiHeadParams(
		Param{Name: "windowSize", Kind: Int, Min: 1, Aliases: []string{"window", "slidingWindow"}, Doc: "a position sees those that are fewer positions away"},
		Param{Name: "causal", Kind: Bool, Default: false, Aliases: []string{"isCausal"}, Doc: "whether a position sees only those before it"},
	),
	Shape:   multiHeadShape,
	Weights: multiHeadWeights,
	FLOPs:   multiHeadFLOPs,
	Lower:   lowerMasked,
	Torch:   `MaskedAttention({{embedDim}}, {{numHeads}}, {{windowSize}}, {{causal}}, dropout={{dropout}}, bias={{bias}})`, Module: maskedModule,
	WeightFormula: selfAttentionWeights, FLOPsFormula: selfAttentionFLOPs,
	Examples: []Example{
		{In: "[11,8]", Args: "embedDim=8 numHeads=4 windowSize=4 causal=true", Out: "[11,8]", Weights: 288, FLOPs: 9504},
		{In: "[5,4]", Args: "embedDim=4 numHeads=2 windowSize=20 bias=false", Out: "[5,4]", Weights: 64, FLOPs: 1040},
		{In: "[5,4]", Args: "embedDim=4 numHeads=2", Err: "windowSize is missing"},
		{In: "[5,4]", Args: "embedDim=4 numHeads=2 windowSize=0", Err: "windowSize is 0 but takes an integer of at least 1"},
	},
})
