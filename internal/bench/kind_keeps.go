package bench

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

var _ = defineKind(Kind{
	Name: "keeps",
	Doc: "These components of the start stay, under their ids, with their types and parameters. Parameters in " +
		"except may differ, all of them where it is *. A parameter that the start left to its default or to the input " +
		"may be written out.",
	Want: func(c *Constraint) string {
		switch {
		case slices.Contains(c.Except, anyParam):
			return "keep " + list(c.Components) + " under the same ids and with the same types; their parameters may change"
		case len(c.Except) > 0:
			return "keep " + list(c.Components) + " under the same ids and with the same types; of their parameters only " +
				list(c.Except) + " may change"
		}
		return "keep " + list(c.Components) + " as before, under the same ids"
	},
	Holds: func(c *Constraint, s *subject) (bool, string) {
		for _, id := range c.Components {
			if why := s.kept(id, c.Except); why != "" {
				return false, why
			}
		}
		return true, "they are kept"
	},
})

// anyParam in except stands for every parameter.
const anyParam = "*"

// kept says how a component of the start differs in the answer, "" where it does not.
func (s *subject) kept(id string, except []string) string {
	old := s.old(id)
	if old == nil {
		return "the start has no component " + clip(id)
	}
	i, ok := s.index[id]
	if !ok {
		return id + " is gone"
	}
	node := &s.walked.Nodes[i]
	if node.Component.Type != old.Type {
		return quantity.Sprintf("%s is %s and was %s", id, node.Component.Type, old.Type)
	}
	typ := node.Type
	if slices.Contains(except, anyParam) {
		return ""
	}
	if typ == nil || len(node.Args) != len(typ.Params) {
		return id + " has parameters that cannot be read"
	}
	args := make([]graph.Value, len(typ.Params))
	if typ.Bind(old.Params, args) != nil {
		return "" // the start is wrong there: what it should be is for the other constraints to say
	}
	for k, p := range typ.Params {
		if slices.Contains(except, p.Name) || args[k].Kind() == graph.Null {
			continue
		}
		if !sameValue(args[k], node.Args[k]) {
			return quantity.Sprintf("%s of %s is %s and was %s", p.Name, id, node.Args[k].Brief(), args[k].Brief())
		}
	}
	return ""
}

// sameValue compares numbers by what they are and not by how they are written, and a list of one with its item.
func sameValue(a, b graph.Value) bool {
	if l := a.List(); len(l) == 1 && b.Kind() != graph.List {
		a = l[0]
	}
	if l := b.List(); len(l) == 1 && a.Kind() != graph.List {
		b = l[0]
	}
	number := func(v graph.Value) bool { return v.Kind() == graph.Int || v.Kind() == graph.Float }
	if number(a) && number(b) {
		return a.Float() == b.Float()
	}
	return a.Equal(b)
}

// list writes words with commas between them, and says how many there are where they are too many.
func list(words []string) string {
	if len(words) > 12 {
		return strings.Join(words[:6], ", ") + " … " + strings.Join(words[len(words)-3:], ", ") + " (" + count(len(words),
			"component") + ", listed in the constraints)"
	}
	return strings.Join(words, ", ")
}
