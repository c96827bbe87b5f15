package rules

var _ = define(Rule{
	ID:       "unknown-layer-type",
	Title:    "A type that is not in the catalogue",
	Severity: Block,
	Written:  true,
	Doc:      `The type of the component is none that the verifier knows, in any spelling, so nothing can be said about its result or about what follows. Correct the spelling, or use customModule and declare the shape that it gives.`,
	Source:   "no module of that name can be built: AttributeError in torch.nn",
	Examples: []string{
		"x: input shape=[8]\nf: liner outFeatures=4 // want\no: output\nx -> f -> o",
		"x: input shape=[8]\nf: linear outFeatures=4\no: output\nx -> f -> o",
		"x: input shape=[8]\nf: customModule outputShape=[4]\no: output\nx -> f -> o",
	},
})
