package rules

var _ = define(Rule{
	ID:        "code-below-classes",
	Title:     "Fewer values pass than half the classes",
	Severity:  Info,
	Comparing: true,
	Doc:       `Everything that the model knows of a sample passes here as fewer values than half of its classes. A line or a plane is all that is left to place the classes in: they overlap, and no later layer tells them apart again. It is the strongest of the measured links to a poor result. Widen what everything passes to a few times the classes. It is asked of classifiers of images and tables alone.`,
	Source:    "the data-processing inequality; measured on trained designs, see docs/outcomes.md",
	Whole: func(p *Pass) {
		if m := p.measure(); m != nil && m.narrow <= (m.classes-1)/2 {
			p.Reportf(m.narrowAt, "%d values of a sample pass here, for %d classes", m.narrow, m.classes)
		}
	},
	Examples: []string{
		"x: input shape=[64]\nf: linear outFeatures=4 // want\nr: relu\ng: linear outFeatures=64\nt: relu\nh: linear outFeatures=10\no: output\nx -> f -> r -> g -> t -> h -> o",
		"x: input shape=[64]\nf: linear outFeatures=5\nr: relu\ng: linear outFeatures=64\nt: relu\nh: linear outFeatures=10\no: output\nx -> f -> r -> g -> t -> h -> o",
		"x: input shape=[64]\nh: linear outFeatures=10\no: output\nx -> h -> o", // nothing lies between, so nothing is narrow
		"x: input shape=[12,16]\nf: linear outFeatures=2\nm: mean dim=1\nh: linear outFeatures=10\no: output\nx -> f -> m -> h -> o",
	},
})
