package rules

var _ = define(Rule{
	ID:       "pad-exceeds-input",
	Title:    "Padding that needs more elements than there are",
	Severity: Block,
	Doc:      `Reflecting padding mirrors the input without repeating its edge, so it can add one element less than the axis has; circular padding wraps round and can add as many as there are. Negative padding cannot cut off more than there is. Pad less, pad twice, or use the mode constant or replicate.`,
	Source:   "torch.nn.functional.pad: aten/src/ATen/native/ReflectionPad.cpp, Padding size should be less than the corresponding input dimension; PadNd.cpp, Padding value causes wrapping around more than once",
	Examples: []string{
		"x: input shape=[3,4]\np: pad padding=[4,0] mode=reflect // want\no: output\nx -> p -> o",
		"x: input shape=[3,4]\np: pad padding=[5,0] mode=circular // want\no: output\nx -> p -> o",
		"x: input shape=[3,4]\np: pad padding=[3,0] mode=reflect\no: output\nx -> p -> o",
		"x: input shape=[3,4]\np: pad padding=[5,0] mode=replicate\no: output\nx -> p -> o",
	},
})
