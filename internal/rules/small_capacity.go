package rules

var _ = define(Rule{
	ID:        "small-capacity",
	Title:     "Few weights for the size of the input",
	Severity:  Info,
	Comparing: true,
	Doc:       `The model has fewer than 12 weights for each value that it reads. Within a few epochs a larger one of the same kind nearly always did better on the sets that were measured, none of which is so small that a larger model overfits at once. Widen it, or leave it so on purpose: for a microcontroller it may be what fits. It is asked of classifiers of images and tables alone.`,
	Source:    "measured on trained designs, see docs/outcomes.md",
	Whole: func(p *Pass) {
		if m := p.measure(); m != nil && p.Params < 12*m.inputs {
			p.Reportf(-1, "%d weights for an input of %d values", p.Params, m.inputs)
		}
	},
	Examples: []string{
		"// want\nx: input shape=[64]\nf: linear outFeatures=10\nr: relu\nh: linear outFeatures=10\no: output\nx -> f -> r -> h -> o",
		"x: input shape=[64]\nf: linear outFeatures=64\nr: relu\nh: linear outFeatures=10\no: output\nx -> f -> r -> h -> o",
	},
})
