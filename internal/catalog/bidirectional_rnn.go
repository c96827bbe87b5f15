package catalog

var _ = define(Type{
	ID:      "bidirectionalRNN",
	Title:   "A simple recurrent layer in both directions",
	Doc:     `Two simple recurrent layers run along a sequence (sequence, inputSize), one from each end, and their results stand side by side, as torch.nn.RNN does with bidirectional=True. The result has twice hiddenSize features; with returnSequences=false only the last step is returned.`,
	Source:  "torch.nn.RNN; Schuster and Paliwal 1997",
	Group:   Recurrent,
	Aliases: []string{"biRNN"},
	Traits:  IsRecurrent | HasActivation,
	Params:  recurrentParams(nonlinearity()),
	Shape:   recurrent{1}.shape, Weights: recurrent{1}.weights, FLOPs: recurrent{1}.flops,
	Lower: recurrent{1}.lower,
	Torch: `SequenceRNN({{inputSize}}, {{hiddenSize}}, num_layers={{numLayers}}, nonlinearity={{nonlinearity}}, bias={{bias}}, dropout={{dropout}}, ` +
		`bidirectional=True, sequences={{returnSequences}})`,
	Module:        recurrent{}.module("RNN"),
	WeightFormula: "2*hiddenSize*(inputSize + hiddenSize + 2*bias + (numLayers-1)*(3*hiddenSize + 2*bias))",
	FLOPsFormula:  "4*in[0]*hiddenSize*(inputSize + hiddenSize + (numLayers-1)*3*hiddenSize)",
	Examples: []Example{
		{In: "[8,15]", Args: "inputSize=15 hiddenSize=11 returnSequences=false", Out: "[22]", Weights: 616, FLOPs: 9152},
		{In: "[9,12]", Args: "inputSize=12 hiddenSize=8 numLayers=2", Out: "[9,16]", Weights: 768},
		{In: "[9,12]", Args: "inputSize=11 hiddenSize=8", Err: "inputSize is 11 but 12 features arrive"},
	},
})
