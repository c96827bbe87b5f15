package catalog

var _ = define(Type{
	ID:      "causalAttention",
	Title:   "Attention of a sequence to what came before",
	Doc:     `Every position of a sequence (sequence, embedDim) attends to itself and to those before it: torch.nn.MultiheadAttention behind a causal mask, as in a language model. The heads must divide embedDim. Its FLOPs are counted in full, as PyTorch does, although half of the scores are masked.`,
	Source:  "torch.nn.MultiheadAttention with attn_mask; Radford et al. 2018",
	Group:   Attention,
	Aliases: []string{"causalSelfAttention", "maskedSelfAttention", "maskedMultiHeadAttention"},
	Traits:  IsAttention | HasActivation | KeepsShape | IsCausal,
	Params:  multiHeadParams(),
	Shape:   multiHeadShape,
	Weights: multiHeadWeights,
	FLOPs:   multiHeadFLOPs,
	Lower:   lowerMasked,
	Torch:   `MaskedAttention({{embedDim}}, {{numHeads}}, dropout={{dropout}}, bias={{bias}})`, Module: maskedModule,
	WeightFormula: selfAttentionWeights, FLOPsFormula: selfAttentionFLOPs,
	Examples: []Example{
		{In: "[10,8]", Args: "embedDim=8 numHeads=2 bias=false", Out: "[10,8]", Weights: 256, FLOPs: 8320},
		{In: "[4,12]", Args: "embedDim=12 numHeads=3", Out: "[4,12]", Weights: 624, FLOPs: 5376},
		{In: "[10,8]", Args: "embedDim=8 numHeads=3", Err: "embedDim 8 is not divisible by 3 heads"},
		{In: "[10,8]", Args: "embedDim=16 numHeads=2", Err: "embedDim is 16 but 8 features arrive"},
	},
})
