package rules

var _ = define(Rule{
	ID:       "duplicate-id",
	Title:    "Two components with one id",
	Severity: Block,
	Written:  true,
	Doc:      `Connections name components by id, so an id that two components share leaves it open which of them is meant. Give one of them another id and point its connections there.`,
	Source:   "torch.nn.Module.add_module keeps one module under a name",
	Whole: func(p *Pass) {
		for _, i := range p.Wiring.Duplicates {
			p.Reportf(i, "the id %q belongs to an earlier component", p.Nodes[i].Component.ID)
		}
	},
	Examples: []string{
		"x: input shape=[8]\nf: linear outFeatures=4\nf: relu // want\no: output\nx -> f -> o",
		"x: input shape=[8]\nf: linear outFeatures=4\nr: relu\no: output\nx -> f -> r -> o",
	},
})
