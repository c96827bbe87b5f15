package rules

var _ = define(Rule{
	ID:       "rnn-projection",
	Title:    "A projection that is not smaller than the state",
	Severity: Block,
	Doc:      `projSize shrinks what an LSTM hands from step to step, so it must be smaller than hiddenSize; PyTorch refuses to build the layer otherwise. Choose a smaller projSize, a larger hiddenSize, or leave it out.`,
	Source:   "torch.nn.LSTM, torch/nn/modules/rnn.py: proj_size has to be smaller than hidden_size; Sak et al. 2014",
	Examples: []string{
		"x: input shape=[20,32]\nr: lstm inputSize=32 hiddenSize=64 projSize=64 // want\no: output\nx -> r -> o",
		"x: input shape=[20,32]\nr: lstm inputSize=32 hiddenSize=64 projSize=16\no: output\nx -> r -> o",
	},
})
