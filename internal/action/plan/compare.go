package plan

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// Comparison is the difference of two models component by component, for those who draw it. Diff is that of the plan.
type Comparison struct {
	Diff    *Diff     `json:"diff"`
	Added   []Part    `json:"added"`   // of the model
	Removed []Part    `json:"removed"` // of its base
	Changed []Changed `json:"changed"`
	Rewired []Changed `json:"rewired"`
}

// Part is a component.
type Part struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
}

// Changed is a component that is in both.
type Changed struct {
	Before Part     `json:"before"`
	After  Part     `json:"after"`
	Lines  []string `json:"lines"` // one for each parameter that changed
}

// Compare says what changed from the base of a request, which it must have, to its model.
func Compare(r *Request) *Comparison {
	base, s := examine(r.Base, r, action.TextCall{}), examine(r.Model, r, r.Text)
	delta := difference(base, s)
	c := &Comparison{Diff: diff(base, s, delta), Added: []Part{}, Removed: []Part{},
		Changed: []Changed{}, Rewired: []Changed{}}
	for _, i := range delta.Added {
		c.Added = append(c.Added, part(s.Graph, i))
	}
	for _, i := range delta.Removed {
		c.Removed = append(c.Removed, part(base.Graph, i))
	}
	for _, x := range delta.Changed {
		said := appendLines(nil, &s.Graph.Components[x.After], x)
		c.Changed = append(c.Changed, Changed{part(base.Graph, x.Before), part(s.Graph, x.After), said})
	}
	for _, x := range delta.Rewired {
		c.Rewired = append(c.Rewired, Changed{part(base.Graph, x.Before), part(s.Graph, x.After), []string{}})
	}
	return c
}

func part(g *graph.Graph, i int) Part {
	c := &g.Components[i]
	return Part{c.ID, clip(c.Label()), c.Type}
}
