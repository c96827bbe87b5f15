package rules

var _ = define(Rule{
	ID:        "tiny-capacity",
	Title:     "Fewer weights than three times the input",
	Severity:  Info,
	Comparing: true,
	Doc:       `The model has fewer than 3 weights for each value that it reads, less than a linear classifier of four classes has. It underfits: the designs of this size that were trained stayed behind others in every family. It is asked of classifiers of images and tables alone.`,
	Source:    "measured on trained designs, see docs/outcomes.md",
	Whole: func(p *Pass) {
		if m := p.measure(); m != nil && p.Params < 3*m.inputs {
			p.Reportf(-1, "%d weights for an input of %d values", p.Params, m.inputs)
		}
	},
	Examples: []string{
		"// want\nx: input shape=[1,28,28]\nc: conv2d outChannels=4 kernelSize=3\nr: relu\nm: globalAvgPool2d\nv: flatten\nh: linear outFeatures=10\no: output\nx -> c -> r -> m -> v -> h -> o",
		"x: input shape=[64]\nf: linear outFeatures=8\nr: relu\nh: linear outFeatures=10\no: output\nx -> f -> r -> h -> o",
	},
})
