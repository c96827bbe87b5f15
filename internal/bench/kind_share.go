package bench

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/quantity"
)

var _ = defineKind(Kind{
	Name: "share",
	Doc: "No single component holds more than so many percent of the weights. It keeps a budget from being met by " +
		"one giant layer.",
	Want: func(c *Constraint) string {
		return fmt.Sprintf("no single component holds more than %d %% of the weights", c.Max)
	},
	Holds: func(c *Constraint, s *subject) (bool, string) {
		most, at := int64(0), ""
		for i := range s.walked.Nodes {
			if n := &s.walked.Nodes[i]; n.Params > most {
				most, at = n.Params, n.Component.Label()
			}
		}
		if most == 0 {
			return false, "it has no weights"
		}
		allowed, _ := quantity.Mul(s.walked.Params/100, c.Max) // a share of a number that fits fits too
		allowed += s.walked.Params % 100 * c.Max / 100
		return most <= allowed, fmt.Sprintf("%s holds %s of %s", at, quantity.Grouped(most),
			quantity.Grouped(s.walked.Params))
	},
})
