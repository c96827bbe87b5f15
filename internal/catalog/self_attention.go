package catalog

var _ = define(Type{
	ID:      "selfAttention",
	Title:   "Attention of a sequence to itself",
	Doc:     `The same layer as multiHeadAttention under the name that many tools give it: torch.nn.MultiheadAttention over one sequence (sequence, embedDim). The heads must divide embedDim.`,
	Source:  "torch.nn.MultiheadAttention; Vaswani et al. 2017, section 3.2.2",
	Group:   Attention,
	Traits:  IsAttention | HasActivation | KeepsShape,
	Params:  multiHeadParams(),
	Shape:   multiHeadShape,
	Weights: multiHeadWeights,
	FLOPs:   multiHeadFLOPs,
	Lower:   lowerMultiHead,
	Torch:   selfAttentionTorch, Module: selfAttentionModule,
	WeightFormula: selfAttentionWeights, FLOPsFormula: selfAttentionFLOPs,
	Examples: []Example{
		{In: "[5,12]", Args: "embedDim=12 numHeads=3", Out: "[5,12]", Weights: 624, FLOPs: 6960},
		{In: "[5,12]", Args: "embedDim=12 numHeads=5", Err: "embedDim 12 is not divisible by 5 heads"},
		{In: "[5,12]", Args: "numHeads=3", Err: "embedDim is missing"},
	},
})
