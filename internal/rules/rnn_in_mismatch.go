package rules

var _ = define(Rule{
	ID:       "rnn-in-mismatch",
	Title:    "A recurrent layer that expects another width",
	Severity: Block,
	Doc:      `The features of each step are not inputSize, the size that the input weights were built for. Behind a bidirectional layer the features are twice its hiddenSize; behind one with projSize they are that size. Set inputSize to what arrives.`,
	Source:   "torch.nn.RNNBase.check_input, torch/nn/modules/rnn.py: input.size(-1) must be equal to input_size",
	Examples: []string{
		"x: input shape=[20,32]\nr: lstm inputSize=16 hiddenSize=64 // want\no: output\nx -> r -> o",
		"x: input shape=[20,32]\na: lstm inputSize=32 hiddenSize=64 bidirectional=true\nb: gru inputSize=64 hiddenSize=64 // want\no: output\nx -> a -> b -> o",
		"x: input shape=[20,32]\nr: lstm inputSize=32 hiddenSize=64\no: output\nx -> r -> o",
		"x: input shape=[20,32]\na: lstm inputSize=32 hiddenSize=64 bidirectional=true\nb: gru inputSize=128 hiddenSize=64\no: output\nx -> a -> b -> o",
	},
})
