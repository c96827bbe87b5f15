package rules

var _ = define(Rule{
	ID:       "empty-graph",
	Title:    "No components",
	Severity: Block,
	Written:  true,
	Doc:      `The model has no component, or none but notes: there is nothing to run. Add an input, at least one layer and an output.`,
	Source:   "a module without a forward pass raises NotImplementedError in torch.nn.Module",
	Whole: func(p *Pass) {
		if p.empty() {
			p.Reportf(-1, "the graph has no components")
		}
	},
	Examples: []string{"// want", "x: input shape=[4]\no: output\nx -> o", "n: stickyNote text=todo\n// want"},
})
