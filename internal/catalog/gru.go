package catalog

var _ = define(Type{
	ID:     "gru",
	Title:  "A gated recurrent unit",
	Doc:    `Runs along a sequence (sequence, inputSize) with an update and a reset gate, as torch.nn.GRU does. The result has hiddenSize features, twice as many if it is bidirectional; with returnSequences=false only the last step is returned.`,
	Source: "torch.nn.GRU; Cho et al. 2014",
	Group:  Recurrent,
	Traits: IsRecurrent | HasActivation,
	Params: recurrentParams(bidirectional()),
	Shape:  recurrent{3}.shape, Weights: recurrent{3}.weights, FLOPs: recurrent{3}.flops, State: recurrent{3}.carried,
	Lower: recurrent{3}.lower,
	Torch: `SequenceGRU({{inputSize}}, {{hiddenSize}}, num_layers={{numLayers}}, bias={{bias}}, dropout={{dropout}}, ` +
		`bidirectional={{bidirectional}}, sequences={{returnSequences}})`,
	Module: recurrent{}.module("GRU"),
	WeightFormula: "3*(1+bidirectional)*hiddenSize*(inputSize + hiddenSize + 2*bias" +
		" + (numLayers-1)*((2+bidirectional)*hiddenSize + 2*bias))",
	FLOPsFormula: "6*in[0]*(1+bidirectional)*hiddenSize*(inputSize + hiddenSize + (numLayers-1)*(2+bidirectional)*hiddenSize)",
	Examples: []Example{
		{In: "[12,8]", Args: "inputSize=8 hiddenSize=16", Out: "[12,16]", Weights: 1248, FLOPs: 27648},
		{In: "[12,8]", Args: "inputSize=8 hiddenSize=4 numLayers=2 bidirectional=true returnSequences=false", Out: "[8]"},
		{In: "[8]", Args: "inputSize=8 hiddenSize=16", Err: "takes (sequence, features), got [8]"},
	},
})
