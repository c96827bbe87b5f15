package catalog

var _ = define(Type{
	ID:      "bidirectionalLSTM",
	Title:   "A long short-term memory in both directions",
	Doc:     `Two LSTMs run along a sequence (sequence, inputSize), one from each end, and their results stand side by side, as torch.nn.LSTM does with bidirectional=True. The result has twice hiddenSize features, or twice projSize where that is given.`,
	Source:  "torch.nn.LSTM; Schuster and Paliwal 1997",
	Group:   Recurrent,
	Aliases: []string{"biLSTM"},
	Traits:  IsRecurrent | HasActivation,
	Params:  recurrentParams(projSize()),
	Shape:   recurrent{4}.shape, Weights: recurrent{4}.weights, FLOPs: recurrent{4}.flops,
	Lower: recurrent{4}.lower,
	Torch: `SequenceLSTM({{inputSize}}, {{hiddenSize}}, num_layers={{numLayers}}, bias={{bias}}, dropout={{dropout}}, ` +
		`bidirectional=True, proj_size={{projSize}}, sequences={{returnSequences}})`,
	Module: recurrent{}.module("LSTM"),
	WeightFormula: "2*hiddenSize*(4*(inputSize + (projSize==0)*hiddenSize + projSize) + 8*bias + projSize" +
		" + (numLayers-1)*(12*((projSize==0)*hiddenSize + projSize) + 8*bias + projSize))",
	FLOPsFormula: "4*in[0]*hiddenSize*(4*(inputSize + (projSize==0)*hiddenSize + projSize) + projSize" +
		" + (numLayers-1)*(12*((projSize==0)*hiddenSize + projSize) + projSize))",
	Examples: []Example{
		{In: "[12,8]", Args: "inputSize=8 hiddenSize=16", Out: "[12,32]", Weights: 3328, FLOPs: 73728},
		{In: "[12,8]", Args: "inputSize=8 hiddenSize=16 numLayers=3 projSize=2 returnSequences=false", Out: "[4]"},
		{In: "[12,8]", Args: "inputSize=4 hiddenSize=16", Err: "inputSize is 4 but 8 features arrive"},
	},
})
