package catalog

var _ = define(Type{
	ID:      "rnn",
	Title:   "A simple recurrent layer",
	Doc:     `Runs along a sequence (sequence, inputSize) and mixes each step with the state before it, as torch.nn.RNN does. The result has hiddenSize features, twice as many if it is bidirectional; with returnSequences=false only the last step is returned.`,
	Source:  "torch.nn.RNN; Elman 1990",
	Group:   Recurrent,
	Aliases: []string{"simpleRNN", "elmanRNN"},
	Traits:  IsRecurrent | HasActivation,
	Params:  recurrentParams(bidirectional(), nonlinearity()),
	Shape:   recurrent{1}.shape,
	Weights: recurrent{1}.weights,
	FLOPs:   recurrent{1}.flops,
	State:   recurrent{1}.carried,
	Lower:   recurrent{1}.lower,
	Torch: `SequenceRNN({{inputSize}}, {{hiddenSize}}, num_layers={{numLayers}}, nonlinearity={{nonlinearity}}, bias={{bias}}, dropout={{dropout}}, ` +
		`bidirectional={{bidirectional}}, sequences={{returnSequences}})`,
	Module: recurrent{}.module("RNN"),
	WeightFormula: "(1+bidirectional)*hiddenSize*(inputSize + hiddenSize + 2*bias" +
		" + (numLayers-1)*((2+bidirectional)*hiddenSize + 2*bias))",
	FLOPsFormula: "2*in[0]*(1+bidirectional)*hiddenSize*(inputSize + hiddenSize + (numLayers-1)*(2+bidirectional)*hiddenSize)",
	Examples: []Example{
		{In: "[12,8]", Args: "inputSize=8 hiddenSize=16", Out: "[12,16]", Weights: 416, FLOPs: 9216},
		{In: "[5,4]", Args: "inputSize=4 hiddenSize=3 numLayers=3 bidirectional=true bias=false returnSequences=false nonlinearity=relu", Out: "[6]",
			Weights: 150, FLOPs: 1500},
		{In: "[12,8]", Args: "inputSize=4 hiddenSize=16", Err: "inputSize is 4 but 8 features arrive"},
		{In: "[12,8]", Args: "inputSize=8 hiddenSize=16 dropout=1.5", Err: "dropout is 1.5"},
	},
})

func nonlinearity() Param {
	return Param{Name: "nonlinearity", Kind: String, Default: "tanh", Values: []string{"tanh", "relu"}, Aliases: []string{"activation"}, Doc: "what is applied to the state"}
}
