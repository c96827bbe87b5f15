package rules

var _ = define(Rule{
	ID:        "thin-passage",
	Title:     "Fewer values pass than twice the classes",
	Severity:  Info,
	Comparing: true,
	Doc:       `Everything that the model knows of a sample passes here as fewer values than twice its classes. That is enough in principle, and hard to train: each class has hardly a direction of its own. Widen what everything passes; four times the classes and more did better in all families that were trained. It is asked of classifiers of images and tables alone.`,
	Source:    "the data-processing inequality; measured on trained designs, see docs/outcomes.md",
	Whole: func(p *Pass) {
		if m := p.measure(); m != nil && m.narrow < 2*m.classes {
			p.Reportf(m.narrowAt, "%d values of a sample pass here, for %d classes", m.narrow, m.classes)
		}
	},
	Examples: []string{
		"x: input shape=[64]\nf: linear outFeatures=16 // want\nr: relu\nh: linear outFeatures=10\no: output\nx -> f -> r -> h -> o",
		"x: input shape=[64]\nf: linear outFeatures=20\nr: relu\nh: linear outFeatures=10\no: output\nx -> f -> r -> h -> o",
	},
})
