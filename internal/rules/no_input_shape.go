package rules

var _ = define(Rule{
	ID:       "no-input-shape",
	Title:    "An input without a shape",
	Severity: Block,
	Written:  true,
	Doc:      `The input does not say how large one sample is, so nothing behind it can be sized. Give its shape without the batch: [3,224,224] for an image, [128] for 128 tokens or features. An empty list is one number per sample.`,
	Source:   "a tensor cannot be made without a size: torch.empty, torch.randn",
	Examples: []string{
		"x: input // want\nf: linear outFeatures=4\no: output\nx -> f -> o",
		"x: input shape=[8]\nf: linear outFeatures=4\no: output\nx -> f -> o",
	},
})
