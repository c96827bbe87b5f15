package catalog

var _ = define(Type{
	ID:      "geglu",
	Title:   "A feed-forward network gated by GELU",
	Doc:     `Maps the last axis to intermediateSize twice, multiplies the two after a GELU on the first, and maps back: the feed-forward network of T5 1.1 and Gemma. The other axes are kept.`,
	Source:  "Shazeer 2020, GLU Variants Improve Transformer; transformers T5DenseGatedActDense",
	Group:   Blocks,
	Aliases: []string{"gegluFeedForward"},
	Traits:  HasActivation | KeepsShape | IsGated,
	Params:  gatedParams(),
	Shape:   gatedShape, Weights: gatedWeights, FLOPs: gatedFLOPs, Lower: lowerGated("gelu"),
	Torch: `Gated({{embedDim}}, {{intermediateSize}}, {{bias}}, F.gelu, dropout={{dropout}})`, Module: gatedModule,
	WeightFormula: gatedWeightFormula, FLOPsFormula: gatedFLOPsFormula,
	Examples: []Example{
		{In: "[12,16]", Args: "embedDim=16 intermediateSize=40", Out: "[12,16]", Weights: 1920, FLOPs: 46080},
		{In: "[]", Args: "embedDim=16 intermediateSize=40", Err: "got a scalar per sample"},
	},
})
