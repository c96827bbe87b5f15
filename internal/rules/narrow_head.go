package rules

var _ = define(Rule{
	ID:        "narrow-head",
	Title:     "A last layer that reads few features",
	Severity:  Info,
	Comparing: true,
	Doc:       `The last layer with weights reads fewer features than four times the classes. It is linear, so classes must already be apart in so few dimensions when they reach it. Let the layers before it end wider, or pool less. It is asked of classifiers of images and tables alone.`,
	Source:    "Cover 1965: how many classes a linear layer separates grows with its inputs. The factor of 4 was measured on trained designs, see docs/outcomes.md",
	Whole: func(p *Pass) {
		if m := p.measure(); m != nil && m.head < 4*m.classes {
			p.Reportf(m.last, "reads %d features, for %d classes", m.head, m.classes)
		}
	},
	Examples: []string{
		"x: input shape=[64]\nf: linear outFeatures=32\nr: relu\nh: linear outFeatures=10 // want\no: output\nx -> f -> r -> h -> o",
		"x: input shape=[64]\nf: linear outFeatures=40\nr: relu\nh: linear outFeatures=10\no: output\nx -> f -> r -> h -> o",
	},
})
