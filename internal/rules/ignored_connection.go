package rules

import "github.com/modelverifier/verifier/internal/infer"

var _ = define(Rule{
	ID:       "ignored-connection",
	Title:    "A connection into an input",
	Severity: Warn,
	Written:  true,
	Doc:      `An input takes its data from the caller, so what is connected to it is never read and the component behind the connection has no effect through it. Connect to the component that should read it.`,
	Source:   "the arguments of a forward pass come from its caller",
	Whole: func(p *Pass) {
		for i := range p.Nodes {
			if t := p.Nodes[i].Type; t != nil && t.ID == infer.InputID && len(p.Wiring.Inputs(i)) > 0 {
				p.Reportf(i, "what is connected to an input is not read")
			}
		}
	},
	Examples: []string{
		"x: input shape=[8]\ny: input shape=[8] // want\nf: relu\na: add\no: output\nx -> f -> y\nx, y -> a -> o",
		"x: input shape=[8]\nf: relu\no: output\nx -> f -> o",
	},
})
