package rules

import "github.com/modelverifier/verifier/internal/infer"

var _ = define(Rule{
	ID:       "withheld-shape",
	Title:    "A module whose result is not declared",
	Severity: Info,
	Written:  true,
	Doc:      `The catalogue does not know this module and it declares no outShape, so nothing behind it can be checked: no verdict is given there rather than a guessed one. Give outShape, the shape of one sample's result without the batch, and numParams if it has weights.`,
	Source:   "nothing is known of code that is not run",
	Whole: func(p *Pass) {
		for i := range p.Nodes {
			if p.Nodes[i].State == infer.Withheld {
				p.Reportf(i, "declares no outShape, so what follows it is not checked")
			}
		}
	},
	Examples: []string{
		"x: input shape=[8]\nm: customModule // want\no: output\nx -> m -> o",
		"x: input shape=[8]\nm: customModule outShape=[4]\no: output\nx -> m -> o",
	},
})
