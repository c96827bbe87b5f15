package rules

var _ = define(Rule{
	ID:       "missing-param",
	Title:    "A parameter that must be given",
	Severity: Block,
	Doc:      `The component cannot be built without this parameter, and nothing that arrives says what it should be. Only inFeatures of linear, inChannels of convolutions and numFeatures of batch and instance normalisation may be left out: they are taken from the input, as PyTorch's lazy modules do. Give the parameter; where the input leaves one choice, the finding names it.`,
	Source:   "the constructors of torch.nn, e.g. torch.nn.Linear, torch/nn/modules/linear.py: missing 1 required positional argument",
	Examples: []string{
		"x: input shape=[8]\nf: linear // want\no: output\nx -> f -> o",
		"x: input shape=[10,32]\nn: layerNorm // want\no: output\nx -> n -> o",
		"x: input shape=[8]\nf: linear outFeatures=4\no: output\nx -> f -> o",
		"x: input shape=[10,32]\nn: layerNorm normalizedShape=32\no: output\nx -> n -> o",
	},
})
