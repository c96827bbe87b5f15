package catalog

var _ = define(Type{
	ID:     "lstm",
	Title:  "A long short-term memory",
	Doc:    `Runs along a sequence (sequence, inputSize) with a gated cell, as torch.nn.LSTM does. The result has hiddenSize features, or projSize where that is given, and twice as many if it is bidirectional. A projection must be smaller than the state.`,
	Source: "torch.nn.LSTM; Hochreiter and Schmidhuber 1997; Sak et al. 2014 for the projection",
	Group:  Recurrent,
	Traits: IsRecurrent | HasActivation,
	Params: recurrentParams(bidirectional(), projSize()),
	Shape:  recurrent{4}.shape, Weights: recurrent{4}.weights, FLOPs: recurrent{4}.flops, State: recurrent{4}.carried,
	Lower: recurrent{4}.lower,
	Torch: `SequenceLSTM({{inputSize}}, {{hiddenSize}}, num_layers={{numLayers}}, bias={{bias}}, dropout={{dropout}}, ` +
		`bidirectional={{bidirectional}}, proj_size={{projSize}}, sequences={{returnSequences}})`,
	Module: recurrent{}.module("LSTM"),
	WeightFormula: "(1+bidirectional)*hiddenSize*(4*(inputSize + (projSize==0)*hiddenSize + projSize) + 8*bias + projSize" +
		" + (numLayers-1)*(4*(2+bidirectional)*((projSize==0)*hiddenSize + projSize) + 8*bias + projSize))",
	FLOPsFormula: "2*in[0]*(1+bidirectional)*hiddenSize*(4*(inputSize + (projSize==0)*hiddenSize + projSize) + projSize" +
		" + (numLayers-1)*(4*(2+bidirectional)*((projSize==0)*hiddenSize + projSize) + projSize))",
	Examples: []Example{
		{In: "[12,8]", Args: "inputSize=8 hiddenSize=16", Out: "[12,16]", Weights: 1664, FLOPs: 36864},
		{In: "[12,8]", Args: "inputSize=8 hiddenSize=16 numLayers=2 bidirectional=true projSize=4 returnSequences=false", Out: "[8]"},
		{In: "[12,8]", Args: "inputSize=8 hiddenSize=4 projSize=4", Err: "projSize is 4 but must be smaller than hiddenSize, which is 4"},
		{In: "[12,8]", Args: "inputSize=9 hiddenSize=4", Err: "inputSize is 9 but 8 features arrive"},
	},
})
