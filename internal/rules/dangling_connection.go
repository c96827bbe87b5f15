package rules

import "github.com/modelverifier/verifier/internal/graph"

// maxDangling is how many connections of a graph are named: beyond that, its ids are wrong and not a spelling.
const maxDangling = 200

var _ = define(Rule{
	ID:       "dangling-connection",
	Title:    "A connection to nowhere",
	Severity: Block,
	Written:  true,
	Doc:      `An end of the connection names no component, neither by id nor by a name that only one component has. Correct the spelling, or remove the connection.`,
	Source:   "a tensor that no module made cannot be passed on: NameError in the forward pass",
	Whole: func(p *Pass) {
		if len(p.Wiring.Dangling) == 0 {
			return
		}
		index := map[string]int{}
		for i := range p.Graph.Components {
			index[p.Graph.Components[i].ID] = i
		}
		for k, e := range p.Wiring.Dangling {
			if k == maxDangling {
				p.Reportf(-1, "%d further connections lead to or from what is no component", len(p.Wiring.Dangling)-k)
				return
			}
			reportDangling(p, index, &p.Graph.Connections[e])
		}
	},
	Examples: []string{
		"x: input shape=[8]\nf: linear outFeatures=4 // want\no: output\nx -> f -> nowhere\nf -> o",
		"x: input shape=[8]\nf: linear outFeatures=4\no: output // want\nx -> f\ng -> o",
		"x: input shape=[8]\nf: linear outFeatures=4\no: output\nx -> f -> o",
	},
})

// reportDangling reports on the end that exists, or on the graph where neither does.
func reportDangling(p *Pass, index map[string]int, c *graph.Connection) {
	if to, ok := index[c.To]; ok {
		p.Reportf(to, "is fed from %q, which is no component", c.From)
		return
	}
	if from, ok := index[c.From]; ok {
		p.Reportf(from, "is connected to %q, which is no component", c.To)
		return
	}
	p.Reportf(-1, "a connection leads from %q to %q, and neither is a component", c.From, c.To)
}
