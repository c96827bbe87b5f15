package env

import (
	"math"

	"github.com/modelverifier/verifier/internal/bench"
)

// progress is how far a model is, from 0 to 1: 1 where it passes, and else half of the share of constraints that hold. A reward is the
// change of it, so that the rewards of an episode add up to where it came from where it began, and going in a circle earns nothing
// (potential-based shaping: Ng, Harada and Russell 1999).
func progress(g *bench.Grade) float64 {
	if g.Passed {
		return 1
	}
	if len(g.Checks) == 0 {
		return 0
	}
	held := 0
	for _, c := range g.Checks {
		if c.Held {
			held++
		}
	}
	return float64(held) / float64(2*len(g.Checks))
}

// round keeps six digits: the sums of rewards stay readable, and are the same on every machine.
func round(x float64) float64 {
	const digits = 1e6
	return math.Round(x*digits) / digits
}
