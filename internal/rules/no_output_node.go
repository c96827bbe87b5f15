package rules

var _ = define(Rule{
	ID:       "no-output-node",
	Title:    "No output",
	Severity: Block,
	Written:  true,
	Doc:      `Nothing says which result the model returns. Connect the last component to one of type output. Of several outputs the first in the list is the result.`,
	Source:   "a forward pass that returns nothing leaves no tensor to compute a loss from",
	Whole: func(p *Pass) {
		if !p.empty() && !p.hasType("output") {
			p.Reportf(-1, "the graph has no output")
		}
	},
	Examples: []string{
		"x: input shape=[8]\nf: linear outFeatures=4\nx -> f\n// want",
		"x: input shape=[8]\nf: linear outFeatures=4\no: output\nx -> f -> o",
	},
})
