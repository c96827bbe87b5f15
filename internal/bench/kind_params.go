package bench

import "github.com/modelverifier/verifier/internal/quantity"

var _ = defineKind(Kind{
	Name: "params",
	Doc:  "The number of trained parameters lies in a range, ends included. A shared weight counts once.",
	Want: func(c *Constraint) string { return "trained parameters: " + span(c.Min, c.Max, quantity.Grouped) },
	Holds: func(c *Constraint, s *subject) (bool, string) {
		return within(s.walked.Params, c), "it has " + quantity.Grouped(s.walked.Params)
	},
})

// within reports whether a number lies in the range of a constraint. A bound of 0 is none.
func within(n int64, c *Constraint) bool { return n >= c.Min && (c.Max == 0 || n <= c.Max) }

// span writes a range.
func span(low, high int64, write func(int64) string) string {
	switch {
	case low > 0 && low == high:
		return "exactly " + write(low)
	case low > 0 && high > 0:
		return "from " + write(low) + " to " + write(high)
	case high > 0:
		return "at most " + write(high)
	}
	return "at least " + write(low)
}
