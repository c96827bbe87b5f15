package catalog

var _ = define(Type{
	ID:      "bidirectionalRNN",
	Title:   "A simple recurrent layer in both directions",
	Doc:     `Two simple recurrent layers run along a sequence (sequence, inputSize), one from each end, and their results stand side by side, as torch.nn.RNN does with bidirectional=True. The result has twice hiddenSize features; with returnSequences=false only the last step is returned.`,
	Source:  "torch.nn.RNN; Schuster and Paliwal 1997",
	Group:   Recurrent,
	Aliases: []string{"biRNN"},
	Traits:  IsRecurrent | HasActivation,
	Params: recurrentParams(
		Param{Name: "nonlinearity", Kind: String, Default: "tanh", Values: []string{"tanh", "relu"}, Aliases: []string{"activation"}, Doc: "what is applied to the state"}),
	Shape: recurrent{1}.shape, Weights: recurrent{1}.weights, FLOPs: recurrent{1}.flops, Saved: recurrent{1}.saved,
	Torch: `SequenceRNN({{inputSize}}, {{hiddenSize}}, num_layers={{numLayers}}, nonlinearity={{nonlinearity}}, bias={{bias}}, dropout={{dropout}}, ` +
		`bidirectional=True, sequences={{returnSequences}})`,
	Module:        recurrent{}.module("RNN"),
	WeightFormula: "2*hiddenSize*(inputSize + hiddenSize + 2*bias + (numLayers-1)*(3*hiddenSize + 2*bias))",
	FLOPsFormula:  "4*in[0]*hiddenSize*(inputSize + hiddenSize + (numLayers-1)*3*hiddenSize)",
	Examples: []Example{
		{In: "[8,15]", Args: "inputSize=15 hiddenSize=11", Out: "[8,22]", Weights: 616, FLOPs: 9152},
		{In: "[8,6]", Args: "inputSize=6 hiddenSize=3 numLayers=3 returnSequences=false", Out: "[6]", FLOPs: 2592},
		{In: "[12,8]", Args: "inputSize=4 hiddenSize=16", Err: "inputSize is 4 but 8 features arrive"},
	},
})
