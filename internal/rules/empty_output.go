package rules

var _ = define(Rule{
	ID:       "empty-output",
	Title:    "A result without elements",
	Severity: Block,
	Doc:      `On some axis the result would have size 0, so nothing is left to compute with. PyTorch refuses it in some kernels and passes an empty tensor on in others, where the next reduction or the loss fails or becomes NaN. Cut off less, scale down less, or start from a larger input.`,
	Source:   "e.g. torch.nn.functional.interpolate, aten/src/ATen/native/UpSample.h: Input and output sizes should be greater than 0",
	Examples: []string{
		"x: input shape=[8,4]\np: pad padding=[-2,-2] // want\no: output\nx -> p -> o",
		"x: input shape=[8,1,1]\nu: upsample scaleFactor=0.5 // want\no: output\nx -> u -> o",
		"x: input shape=[8,4]\np: pad padding=[-1,-1]\no: output\nx -> p -> o",
		"x: input shape=[8,2,2]\nu: upsample scaleFactor=0.5\no: output\nx -> u -> o",
	},
})
