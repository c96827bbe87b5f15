package rules

import "github.com/modelverifier/verifier/internal/infer"

var noInputNode = define(Rule{
	ID:       "no-input-node",
	Title:    "No input",
	Severity: Block,
	Written:  true,
	Doc:      `Nothing in the graph brings data in, so no component can run. Add a component of type input whose shape is that of one sample, without the batch.`,
	Source:   "a forward pass needs its arguments: torch.nn.Module.__call__",
	Whole: func(p *Pass) {
		if !p.empty() && !p.hasType(infer.InputID) {
			p.Reportf(-1, "the graph has no input")
		}
	},
	Examples: []string{
		"f: linear outFeatures=4\no: output\nf -> o\n// want",
		"x: input shape=[8]\nf: linear outFeatures=4\no: output\nx -> f -> o",
	},
})
