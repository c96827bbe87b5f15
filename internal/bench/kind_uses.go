package bench

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/quantity"
)

var _ = defineKind(Kind{
	Name: "uses",
	Doc:  "The model has so many components of these types together.",
	Want: func(c *Constraint) string {
		return "components of type " + strings.Join(c.Types, " or ") + ": " + span(c.Min, c.Max, quantity.Grouped)
	},
	Holds: func(c *Constraint, s *subject) (bool, string) {
		n := int64(s.typed(c.Types))
		return within(n, c), "it has " + quantity.Grouped(n)
	},
})

// typed counts the components of some types, however they are spelled.
func (s *subject) typed(types []string) int {
	n := 0
	for _, typ := range types {
		n += len(s.ofType(catalog.Canonical(typ)))
	}
	return n
}
