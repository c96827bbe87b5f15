package rules

var _ = define(Rule{
	ID:       "shuffle-divisibility",
	Title:    "Elements that cannot be dealt out evenly",
	Severity: Block,
	Doc:      `A shuffle moves whole blocks: pixelShuffle needs channels that are a multiple of the factor squared, pixelUnshuffle a height and width that are multiples of the factor, channelShuffle channels that are a multiple of the groups. Change the factor, or let the layer in front give a number that divides.`,
	Source:   "torch.pixel_shuffle, aten/src/ATen/native/PixelShuffle.cpp; torch.channel_shuffle, aten/src/ATen/native/ChanelShuffle.cpp",
	Examples: []string{
		"x: input shape=[6,8,8]\ns: pixelShuffle upscaleFactor=2 // want\no: output\nx -> s -> o",
		"x: input shape=[6,9,8]\ns: pixelUnshuffle downscaleFactor=2 // want\no: output\nx -> s -> o",
		"x: input shape=[6,8,8]\ns: channelShuffle groups=4 // want\no: output\nx -> s -> o",
		"x: input shape=[8,8,8]\ns: pixelShuffle upscaleFactor=2\no: output\nx -> s -> o",
		"x: input shape=[6,8,8]\ns: pixelUnshuffle downscaleFactor=2\no: output\nx -> s -> o",
		"x: input shape=[6,8,8]\ns: channelShuffle groups=3\no: output\nx -> s -> o",
	},
})
