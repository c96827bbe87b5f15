package rules

var _ = define(Rule{
	ID:       "groupnorm-divisibility",
	Title:    "Channels that do not split into the groups of the normalisation",
	Severity: Block,
	Doc:      `Group normalisation computes one mean and one variance for each group of channels, and all groups must be equally large. Choose a number of groups that divides the channels: 1 normalises all of them together, as many groups as channels is instance normalisation.`,
	Source:   "torch.nn.GroupNorm, torch/nn/modules/normalization.py: num_channels must be divisible by num_groups",
	Examples: []string{
		"x: input shape=[30,8,8]\nn: groupNorm numGroups=4 numChannels=30 // want\no: output\nx -> n -> o",
		"x: input shape=[32,8,8]\nn: groupNorm numGroups=4 numChannels=32\no: output\nx -> n -> o",
	},
})
