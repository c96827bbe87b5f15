package rules

var _ = define(Rule{
	ID:       "interpolation-rank",
	Title:    "A resizing mode for another number of axes",
	Severity: Block,
	Doc:      `Each way to interpolate belongs to a number of axes behind the channels: linear to one, bilinear and bicubic to two, trilinear to three; nearest and area take any of these. A list of sizes or factors needs one entry for each of those axes. Change the mode or the list to fit what arrives.`,
	Source:   "torch.nn.functional.interpolate, torch/nn/functional.py: Got 4D input, but linear mode needs 3D input",
	Examples: []string{
		"x: input shape=[8,16,16]\nu: upsample scaleFactor=2 mode=linear // want\no: output\nx -> u -> o",
		"x: input shape=[8,16]\nu: upsample scaleFactor=2 mode=bilinear // want\no: output\nx -> u -> o",
		"x: input shape=[8,16,16]\nu: upsample scaleFactor=2 mode=bilinear\no: output\nx -> u -> o",
		"x: input shape=[8,16]\nu: upsample scaleFactor=2 mode=linear\no: output\nx -> u -> o",
	},
})
