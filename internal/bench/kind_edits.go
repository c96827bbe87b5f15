package bench

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
)

var _ = defineKind(Kind{
	Name: "edits",
	Doc: "At most so many components differ from the start: added, removed, of another type, with other parameters " +
		"or with other inputs. Components are compared by their ids, so a renamed one counts as removed and added.",
	Want: func(c *Constraint) string {
		return "at most " + count(int(c.Max), "component") + " may differ from the start (added, removed, changed or " +
			"with other inputs; compared by id)"
	},
	Holds: func(c *Constraint, s *subject) (bool, string) {
		n := s.changed()
		return int64(n) <= c.Max, count(n, "component") + " differ"
	},
})

// changed counts the components that differ from the start. Sticky notes mean nothing and do not count.
func (s *subject) changed() int {
	if s.start == nil {
		return 0
	}
	n, model := 0, s.study.Graph
	before, after := inputsOf(s.start), inputsOf(model)
	for i := range s.start.Components {
		c := &s.start.Components[i]
		if _, kept := s.index[c.ID]; !kept {
			n++
		}
	}
	for i := range model.Components {
		c := &model.Components[i]
		old := s.old(c.ID)
		if old == nil || !sameComponent(old, c) || !slices.Equal(before[c.ID], after[c.ID]) {
			n++
		}
	}
	return n
}

func inputsOf(g *graph.Graph) map[string][]string {
	out := make(map[string][]string, len(g.Components))
	for _, c := range g.Connections {
		out[c.To] = append(out[c.To], c.From)
	}
	return out
}

// sameComponent compares types and parameters as they were given, in any order.
func sameComponent(a, b *graph.Component) bool {
	if a.Type != b.Type || len(a.Params) != len(b.Params) {
		return false
	}
	for _, p := range a.Params {
		if v, _ := b.Param(p.Name); !v.Equal(p.Value) {
			return false
		}
	}
	return true
}
