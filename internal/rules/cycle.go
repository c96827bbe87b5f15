package rules

var _ = define(Rule{
	ID:       "cycle",
	Title:    "A component that waits for itself",
	Severity: Block,
	Written:  true,
	Doc:      `Following the connections from this component leads back to it, so none of the components on the way can be the first to run. Remove the connection that leads backwards; a recurrence over time is what rnn, lstm and gru are for.`,
	Source:   "no order of calls exists for the forward pass",
	Whole: func(p *Pass) {
		if len(p.Wiring.Cyclic) == 0 {
			return
		}
		first := p.Wiring.Cyclic[0] // one finding: the components of one cycle are one fault
		p.Reportf(first, "lies on a cycle of connections (%d components do)", len(p.Wiring.Cyclic))
	},
	Examples: []string{
		"x: input shape=[8]\na: add // want\nf: linear outFeatures=8\no: output\nx, f -> a\na -> f -> o",
		"x: input shape=[8]\na: add // want\no: output\nx, a -> a -> o",
		"x: input shape=[8]\nf: linear outFeatures=8\na: add\no: output\nx -> f\nx, f -> a -> o",
	},
})
