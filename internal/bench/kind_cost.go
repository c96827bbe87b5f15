package bench

import "github.com/modelverifier/verifier/internal/quantity"

var _ = defineKind(Kind{
	Name: "cost",
	Doc: "The stated training run costs at most so many micro-dollars on the cheapest card that holds it, as the " +
		"verifier estimates it.",
	Want: func(c *Constraint) string {
		return "training (" + c.Run.text() + ") on the cheapest card that holds it costs " + span(c.Min, c.Max,
			quantity.Dollars)
	},
	Holds: func(c *Constraint, s *subject) (bool, string) {
		t, why := s.priced(c.Run)
		if t == nil {
			return false, why
		}
		return within(t.CostMicroUSD, c), "it costs " + quantity.Dollars(t.CostMicroUSD) + " on " + t.PricedOn.Name
	},
})
