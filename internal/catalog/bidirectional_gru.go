package catalog

var _ = define(Type{
	ID:      "bidirectionalGRU",
	Title:   "A gated recurrent unit in both directions",
	Doc:     `Two GRUs run along a sequence (sequence, inputSize), one from each end, and their results stand side by side, as torch.nn.GRU does with bidirectional=True. The result has twice hiddenSize features.`,
	Source:  "torch.nn.GRU; Schuster and Paliwal 1997",
	Group:   Recurrent,
	Aliases: []string{"biGRU"},
	Traits:  IsRecurrent | HasActivation,
	Params:  recurrentParams(),
	Shape:   recurrent{3}.shape, Weights: recurrent{3}.weights, FLOPs: recurrent{3}.flops,
	Lower: recurrent{3}.lower,
	Torch: `SequenceGRU({{inputSize}}, {{hiddenSize}}, num_layers={{numLayers}}, bias={{bias}}, dropout={{dropout}}, ` +
		`bidirectional=True, sequences={{returnSequences}})`,
	Module:        recurrent{}.module("GRU"),
	WeightFormula: "6*hiddenSize*(inputSize + hiddenSize + 2*bias + (numLayers-1)*(3*hiddenSize + 2*bias))",
	FLOPsFormula:  "12*in[0]*hiddenSize*(inputSize + hiddenSize + (numLayers-1)*3*hiddenSize)",
	Examples: []Example{
		{In: "[12,8]", Args: "inputSize=8 hiddenSize=16", Out: "[12,32]", Weights: 2496, FLOPs: 55296},
		{In: "[12,8]", Args: "inputSize=8 hiddenSize=16 numLayers=2 returnSequences=false", Out: "[32]"},
		{In: "[2,12,8]", Args: "inputSize=8 hiddenSize=16", Err: "takes (sequence, features), got [2,12,8]"},
	},
})
