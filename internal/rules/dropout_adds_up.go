package rules

// leastKept is what dropouts that follow each other should leave. Two of one half, as in AlexNet, leave a quarter.
const leastKept = 0.2

var _ = define(Rule{
	ID:        "dropout-adds-up",
	Title:     "Dropout after dropout",
	Severity:  Info,
	Comparing: true,
	Doc:       `Each dropout alone may be usual, but on every way from the input to the result they follow each other, and together they leave less than a fifth of what a sample says. The model is trained on noise and underfits. Drop less, or at fewer places. Dropout inside a branch with a shortcut around it is not counted. It is asked of classifiers of images and tables alone.`,
	Source:    "Srivastava et al. 2014, Dropout, for one layer; the product over layers and its limit were measured on trained designs, see docs/outcomes.md",
	Whole: func(p *Pass) {
		if m := p.measure(); m != nil && m.kept < leastKept {
			p.Reportf(m.result, "dropout on the way here leaves %v %% of the values", percent(m.kept))
		}
	},
	Examples: []string{
		chain([]string{"input shape=[64]"}, times(2, "linear outFeatures=64", "relu", "dropout p=0.5"), []string{"linear outFeatures=10", "output"}),
		chain([]string{"input shape=[64]"}, times(3, "linear outFeatures=64", "relu", "dropout p=0.5"), []string{"linear outFeatures=10 // want", "output"}),
	},
})
