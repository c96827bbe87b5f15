package bench

import (
	"fmt"
	"math"

	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/quantity"
)

var _ = defineKind(Kind{
	Name: "latency",
	Doc: "One sample takes at most so many microseconds on a deploy target, and the model fits there, as the " +
		"verifier estimates it.",
	Want: func(c *Constraint) string {
		return fmt.Sprintf("latency of one sample on %s: %s, and the model fits there", c.Target, span(c.Min, c.Max, micros))
	},
	Holds: func(c *Constraint, s *subject) (bool, string) {
		if ok, why := s.runs(); !ok {
			return false, why
		}
		for _, d := range estimate.Deploy(s.walked) {
			if d.Target.ID != c.Target {
				continue
			}
			if !d.Fits {
				return false, "it does not fit there"
			}
			n := int64(math.Round(d.LatencyMs * 1000))
			return within(n, c), "it takes " + micros(n)
		}
		return false, "there is no target " + clip(c.Target)
	},
})

func micros(n int64) string { return quantity.Grouped(n) + " µs" }
