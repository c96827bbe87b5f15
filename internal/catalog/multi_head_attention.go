package catalog

var _ = define(Type{
	ID:      "multiHeadAttention",
	Title:   "Attention of a sequence to itself in several heads",
	Doc:     `Every position of a sequence (sequence, embedDim) attends to every other, in numHeads heads of embedDim/numHeads features each, as torch.nn.MultiheadAttention does with one input. The heads must divide embedDim. It does not tell positions apart: add an encoding of them before it.`,
	Source:  "torch.nn.MultiheadAttention; Vaswani et al. 2017, section 3.2.2",
	Group:   Attention,
	Aliases: []string{"mha", "attention"},
	Traits:  IsAttention | HasActivation | KeepsShape,
	Params:  multiHeadParams(),
	Shape:   multiHeadShape,
	Weights: multiHeadWeights,
	FLOPs:   multiHeadFLOPs,
	Lower:   lowerMultiHead,
	Torch:   selfAttentionTorch, Module: selfAttentionModule,
	WeightFormula: selfAttentionWeights, FLOPsFormula: selfAttentionFLOPs,
	Examples: []Example{
		{In: "[12,16]", Args: "embedDim=16 numHeads=4", Out: "[12,16]", Weights: 1088, FLOPs: 33792},
		{In: "[1,6]", Args: "d_model=6 num_heads=2 bias=false", Out: "[1,6]", Weights: 144, FLOPs: 312},
		{In: "[12,16]", Args: "embedDim=16 numHeads=3", Err: "embedDim 16 is not divisible by 3 heads"},
		{In: "[12,16]", Args: "embedDim=32 numHeads=4", Err: "embedDim is 32 but 16 features arrive"},
		{In: "[16]", Args: "embedDim=16 numHeads=4", Err: "takes (sequence, features), got [16]"},
	},
})
