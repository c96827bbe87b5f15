package rules

var _ = define(Rule{
	ID:       "single-value-norm",
	Title:    "A normalisation over a single value",
	Severity: Block,
	Doc:      `Instance normalisation centres each channel of each sample over its positions. With one position the mean is the value itself and the variance is zero, so every result would be zero; PyTorch refuses it in training. Normalise before the pooling that leaves one position, or use layer or group normalisation there.`,
	Source:   "torch.nn.functional.instance_norm, torch/nn/functional.py: Expected more than 1 spatial element when training",
	Examples: []string{
		"x: input shape=[16,1,1]\nn: instanceNorm // want\no: output\nx -> n -> o",
		"x: input shape=[16,8,8]\np: adaptiveAvgPool2d outputSize=1\nn: instanceNorm // want\no: output\nx -> p -> n -> o",
		"x: input shape=[16,8,8]\nn: instanceNorm\np: adaptiveAvgPool2d outputSize=1\no: output\nx -> n -> p -> o",
	},
})
