package catalog

var _ = define(Type{
	ID:      "swiglu",
	Title:   "A feed-forward network gated by SiLU",
	Doc:     `Maps the last axis to intermediateSize twice, multiplies the two after a SiLU on the first, and maps back: the feed-forward network of Llama. The other axes are kept. It has three matrices, so about 8/3 of embedDim costs as much as the usual width of 4.`,
	Source:  "Shazeer 2020, GLU Variants Improve Transformer; transformers LlamaMLP",
	Group:   Blocks,
	Aliases: []string{"swigluFeedForward", "gatedMLP"},
	Traits:  HasActivation | KeepsShape | IsGated,
	Params:  gatedParams(),
	Shape:   gatedShape, Weights: gatedWeights, FLOPs: gatedFLOPs, Lower: lowerGated("silu"),
	Torch: `Gated({{embedDim}}, {{intermediateSize}}, {{bias}}, F.silu, dropout={{dropout}})`, Module: gatedModule,
	WeightFormula: gatedWeightFormula, FLOPsFormula: gatedFLOPsFormula,
	Examples: []Example{
		{In: "[12,16]", Args: "embedDim=16 intermediateSize=40", Out: "[12,16]", Weights: 1920, FLOPs: 46080},
		{In: "[4,5,6]", Args: "hiddenDim=6 intermediate_size=8 bias=true", Out: "[4,5,6]", Weights: 166, FLOPs: 5760},
		{In: "[12,16]", Args: "embedDim=16 intermediateSize=40 dropout=0.1", Out: "[12,16]", Weights: 1920},
		{In: "[12,16]", Args: "embedDim=16 intermediateSize=40 dropout=2", Err: "dropout is 2 but must be from 0 to 1"},
		{In: "[12,16]", Args: "embedDim=15 intermediateSize=40", Err: "embedDim is 15 but 16 features arrive"},
		{In: "[12,16]", Args: "embedDim=16", Err: "intermediateSize is missing"},
	},
})
