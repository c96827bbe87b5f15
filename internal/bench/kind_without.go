package bench

import "strings"

var _ = defineKind(Kind{
	Name: "without",
	Doc:  "The model has no component of these types.",
	Want: func(c *Constraint) string { return "no component of type " + strings.Join(c.Types, " or ") },
	Holds: func(c *Constraint, s *subject) (bool, string) {
		n := s.typed(c.Types)
		return n == 0, "it has " + count(n, "component") + " of them"
	},
})
